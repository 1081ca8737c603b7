import { expect } from 'chai'
import type { Context } from '../../../src/domain/context.js'
import { watchSharedRedis, listDatabasesInUse } from '../../../src/domain/operating/shared-redis.js'
import { createTestContext } from '../../helpers/context.js'
import { memoryLog } from '../../helpers/process/log.js'
import { createTestRedis } from '../../helpers/services/services.js'
import { openings } from '../../helpers/openings.js'

const KEY = '{linehook}:databases'

describe('a Redis that two installations use', () => {
  const open = openings()
  let contexts: Context[]
  const { log, lines } = memoryLog()
  const watchOf = (context: Context | undefined) => () => watchSharedRedis({ ...context!, log })
  const warnings = () => lines.filter(({ msg }) => msg === 'redis.shared')

  before(async () => {
    const REDIS_URL = await createTestRedis()
    contexts = await Promise.all([1, 2].map(() => open(createTestContext({ REDIS_URL }))))
  })

  beforeEach(async () => {
    for (const context of contexts) {
      await watchOf(context)()
      await context.redis.del(KEY)
    }
    lines.length = 0
  })

  it('is told by both, once each, with the cure', async () => {
    const watches = contexts.map(watchOf)
    for (const watch of [...watches, ...watches, ...watches]) await watch()
    expect(warnings()).to.have.length(2)
    expect(warnings()[0]).to.include({
      advice: 'Give each installation its own Redis database in REDIS_URL.',
    })
  })

  it('is not told by the processes of one installation, nor after Redis was emptied', async () => {
    const [context] = contexts
    const watches = [context, context].map(watchOf)
    for (const watch of watches) await watch()
    await context!.redis.del(KEY)
    for (const watch of watches) await watch()
    expect(warnings()).to.be.empty
    expect(await listDatabasesInUse(context!.redis)).to.have.length(1)
  })

  it('is forgotten when the other one has been away for a minute, as the old Postgres is after a restore', async () => {
    const [context] = contexts
    const [second] = await context!.redis.time()
    await context!.redis.zadd(KEY, Number(second) - 61, 'another')
    expect(await listDatabasesInUse(context!.redis)).to.be.empty
    await watchOf(context)()
    expect(warnings()).to.be.empty
    expect(await context!.redis.zcard(KEY)).to.equal(1)
  })

  it('is told again when the other one comes back', async () => {
    const [watch, other] = contexts.map(watchOf)
    for (const each of [watch, other, watch]) await each!()
    await contexts[0]!.redis.del(KEY)
    for (const each of [watch, other, watch]) await each!()
    // The other one has never been alone.
    expect(warnings()).to.have.length(3)
  })

  it('is unknown where the role may not identify Postgres, which is told once', async () => {
    const [{ db, config }] = contexts as [Context, Context]
    await db.raw(`create role unprivileged login password 'x'`)
    await db.raw('revoke execute on function pg_control_system() from public')
    const url = new URL(config.databaseUrl)
    Object.assign(url, { username: 'unprivileged', password: 'x' })
    const context = await open(createTestContext({ DATABASE_URL: url.href, REDIS_URL: config.redisUrl }))
    for (const watch of [watchOf(context), watchOf(context)]) await watch()
    expect(lines.map(({ msg }) => msg)).to.deep.equal(['redis.sharing_unknown'])
    expect(await listDatabasesInUse(context.redis)).to.be.empty
  })
})
