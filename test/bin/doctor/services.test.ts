import { randomBytes } from 'node:crypto'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import {
  watchSharedRedis,
  SHARED_REDIS,
  UNKNOWN_SHARING,
} from '../../../src/domain/operating/shared-redis.js'
import type { Context } from '../../../src/domain/context.js'
import { createEnvironment, environmentForAllTests } from '../../helpers/process/environment.js'
import { createLine } from '../../helpers/factories.js'
import { createTestContext } from '../../helpers/context.js'
import { startOwnRedis, type OwnRedis } from '../../helpers/services/redis.js'
import { createEmptyDatabase } from '../../helpers/services/services.js'
import { runDoctor, runDoctorOnce } from './run-doctor.js'

describe('what the doctor says of Postgres and Redis', () => {
  const environment = environmentForAllTests()

  /** What the doctor finds once this was done to an installation of its own. */
  const doctorAfter = async (change: (context: Context) => Promise<unknown>) => {
    const fresh = await createEnvironment()
    const context = await createTestContext(fresh)
    await change(context)
    await context.close()
    return { fresh, found: await runDoctor(fresh) }
  }

  it('both work: their versions, the schema, the partitions, the secrets, the clocks', async () => {
    const found = await runDoctor(environment)
    // The tests' Postgres waits for no disk.
    expect(found.Postgres).to.deep.include({
      state: 'warning',
      cure: 'Turn fsync and full_page_writes and synchronous_commit on.',
    })
    for (const name of [
      'Configuration',
      'Migrations',
      'Partitions',
      'Secrets',
      'Redis',
      'Redis policy',
      'Redis AOF',
      'Redis sharing',
      'Clocks',
    ]) {
      expect(found[name], name).to.include({ state: 'ok' })
    }
    expect(found.Redis?.why).to.match(/^Redis at 127\.0\.0\.1:\d+ is version \d+\.\d+\.\d+ and responds\.$/)
  })

  it('another installation uses the same Redis database', async () => {
    const other = await createTestContext({ REDIS_URL: environment.REDIS_URL! })
    await watchSharedRedis(other)
    const found = await runDoctor(environment)
    expect(found['Redis sharing']).to.deep.equal({ state: 'fault', ...SHARED_REDIS })
    expect(await runDoctor({ ...environment, DATABASE_URL: other.config.databaseUrl })).to.deep.include({
      'Redis sharing': { state: 'ok', why: 'No other installation uses this Redis database.' },
    })
    await other.close()
  })

  it('its role may not identify Postgres', async () => {
    const { db, config, close } = await createTestContext()
    await db.raw(`create role unidentified login password 'x' in role pg_read_all_data, pg_write_all_data`)
    await db.raw('revoke execute on function pg_control_system() from public')
    const url = new URL(config.databaseUrl)
    Object.assign(url, { username: 'unidentified', password: 'x' })
    const found = await runDoctor({ ...environment, DATABASE_URL: url.href })
    expect(found['Redis sharing']).to.deep.equal({ state: 'warning', ...UNKNOWN_SHARING })
    await close()
  })

  describe('that accept connections and never answer', () => {
    let silent: Server
    let url: (scheme: string) => string

    before(async () => {
      silent = createServer((socket) => socket.on('error', () => undefined))
      await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
      url = (scheme) => `${scheme}://somebody:S3cret@127.0.0.1:${(silent.address() as AddressInfo).port}/1`
    })

    after(() => silent.close())

    it('it says so within 5 s, of both', async () => {
      const look = async () => {
        const startedAt = performance.now()
        const found = await runDoctorOnce({
          ...environment,
          DATABASE_URL: url('postgres'),
          REDIS_URL: url('redis'),
        })
        return { found, tookMs: performance.now() - startedAt }
      }
      let { found, tookMs } = await look()
      // The machine may have had other work for a while.
      for (let n = 0; n < 4 && tookMs >= 5000; n += 1) ({ found, tookMs } = await look())
      expect(tookMs).to.be.below(5000)
      for (const name of ['Postgres', 'Redis']) {
        expect(found[name], name).to.include({ state: 'fault' })
        expect(found[name]?.why).to.match(/accepts connections but did not respond within 2 s\.$/)
      }
      expect(found['Redis AOF']).to.deep.equal({
        state: 'warning',
        why: 'Not checked, because of the problem with Redis.',
        cure: 'Fix that first.',
      })
      expect(found.Node?.state).not.to.equal('fault')
      expect(JSON.stringify(found)).not.to.include('S3cret')
    })
  })

  it('a Redis that says why it lets nobody in: its own sentence', async () => {
    const said = 'DENIED Redis is running in protected mode because protected mode is enabled'
    const denying = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.end(`-${said}\r\n`)
    })
    await new Promise<void>((resolve) => denying.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = denying.address() as AddressInfo
      const found = await runDoctor({ ...environment, REDIS_URL: `redis://127.0.0.1:${port}` })
      expect(found.Redis?.why).to.equal(`Redis at 127.0.0.1:${port}: ${said}.`)
    } finally {
      denying.close()
    }
  })

  it('that refuse connections or have no address', async () => {
    const found = await runDoctor({
      ...environment,
      DATABASE_URL: 'postgres://somebody:S3cret@127.0.0.1:1/linehook',
      REDIS_URL: 'redis://:S3cret@nowhere.invalid',
    })
    expect(found.Postgres?.why).to.equal('Postgres at 127.0.0.1:1 refuses connections.')
    expect(found.Redis?.why).to.equal(
      'Redis at nowhere.invalid:6379 cannot be found: its name does not resolve.',
    )
    expect(JSON.stringify(found)).not.to.include('S3cret')
  })

  it('that refuse the password, or have no such database', async () => {
    const { DATABASE_URL = '', REDIS_URL = '' } = environment
    const changed = (url: string, change: (parsed: URL) => void) => {
      const parsed = new URL(url)
      change(parsed)
      return parsed.href
    }
    const wrong = (url: string) => changed(url, (parsed) => (parsed.password = 'S3cret'))
    const refused = await runDoctor({
      ...environment,
      DATABASE_URL: wrong(DATABASE_URL),
      REDIS_URL: wrong(REDIS_URL),
    })
    expect(refused.Postgres?.why).to.match(
      / rejected the sign-in: password authentication failed for user "linehook"\.$/,
    )
    expect(refused.Redis?.why).to.match(/ rejected the sign-in: WRONGPASS /)
    expect(JSON.stringify(refused)).not.to.include('S3cret')

    const missing = await runDoctor({
      ...environment,
      DATABASE_URL: changed(DATABASE_URL, (parsed) => (parsed.pathname = '/nosuch')),
    })
    expect(missing.Postgres?.why).to.match(/: database "nosuch" does not exist\.$/)
  })

  it('a database without the schema: `linehook migrate`, and what needs the schema is not looked at', async () => {
    const found = await runDoctor({ ...environment, DATABASE_URL: await createEmptyDatabase() })
    expect(found.Migrations).to.deep.include({ state: 'fault', cure: 'Run `linehook migrate`.' })
    expect(found.Partitions?.why).to.equal('Not checked, because of the problem with Migrations.')
    expect(found.Clocks?.state).to.equal('ok')
  })

  it('a database that a newer release has migrated', async () => {
    const name = '20991231_from_the_future'
    const { found } = await doctorAfter(({ db }) =>
      db('knex_migrations').insert({ name, batch: 9, migration_time: new Date() }),
    )
    expect(found.Migrations).to.include({ state: 'warning' })
    expect(found.Migrations?.why).to.include(name)
  })

  it('partitions that nobody has made', async () => {
    const fresh = await createEnvironment()
    const context = await createTestContext(fresh)
    const partition = async (months: number) => {
      const { rows } = await context.db.raw<{ rows: { name: string }[] }>(
        `select to_char(date_trunc('month', current_date) + make_interval(months => ?), '"messages_"YYYYMM') as name`,
        [months],
      )
      return rows[0]!.name
    }
    await context.db.raw(`drop table ${await partition(2)}`)
    expect((await runDoctor(fresh)).Partitions?.state, 'two months are enough').to.equal('ok')
    await context.db.raw(`drop table ${await partition(1)}`)
    expect((await runDoctor(fresh)).Partitions).to.include({
      state: 'warning',
      why: 'There is no partition for next month yet: messages.',
    })
    await context.db.raw(`drop table ${await partition(0)}`)
    expect((await runDoctor(fresh)).Partitions).to.include({
      state: 'fault',
      why: 'There is no partition for this month: messages.',
    })
    await context.close()
  })

  it('rows of a month that had no partition', async () => {
    const { found } = await doctorAfter(async (context) => {
      const { userId, lineId, number } = await createLine(context)
      await context.db('events').insert({
        ...{ id: '01500000-0000-7000-8000-000000000000', user_id: userId, line_id: lineId },
        ...{ type: 'optOut', payload: '', from_number: number, to_number: number },
      })
    })
    expect(found.Partitions).to.include({
      state: 'warning',
      why: 'Some rows are in the default partition, because their month had no partition: events.',
      cure: "They work, but are not deleted with their month. Move them, table by table, as the owner and in a quiet hour: `select move_out_of_default('events')`.",
    })
  })

  it('secrets at rest under a retired key, and under one that is gone', async () => {
    const { fresh } = await doctorAfter((context) =>
      createLine(context, { outgoingUrl: 'http://127.0.0.1:1/events' }),
    )
    const newKey = randomBytes(32).toString('base64')
    const retired = await runDoctor({ ...fresh, ENCRYPTION_KEY: `${newKey},${fresh.ENCRYPTION_KEY}` })
    expect(retired.Secrets).to.deep.equal({
      state: 'warning',
      why: '2 of 2 secrets still use a retired key.',
      cure: 'Run `linehook secrets reseal`, then remove the retired key.',
    })
    const lost = await runDoctor({ ...fresh, ENCRYPTION_KEY: newKey })
    expect(lost.Secrets).to.include({ state: 'fault' })
    expect(lost.Secrets?.why).to.match(
      /^2 of 2 secrets are encrypted with a key that is not in ENCRYPTION_KEY/,
    )
    expect(JSON.stringify([retired, lost])).not.to.include(newKey)
  })

  describe('a Redis that would lose jobs', () => {
    let own: OwnRedis

    before(async () => {
      own = await startOwnRedis()
    })
    after(() => own.remove())

    it('its policy and its AOF are faults with their cures', async () => {
      const redis = new Redis(own.url)
      await redis.config('SET', 'maxmemory-policy', 'allkeys-lru')
      await redis.config('SET', 'appendonly', 'no')
      redis.disconnect()
      const found = await runDoctor({ ...environment, REDIS_URL: own.url })
      expect(found.Redis?.state).to.equal('ok')
      expect(found['Redis policy']).to.include({ state: 'fault' })
      expect(found['Redis policy']?.cure).to.include('maxmemory-policy noeviction')
      expect(found['Redis AOF']).to.include({ state: 'fault' })
      expect(found['Redis AOF']?.cure).to.include('appendonly yes')
    })
  })
})
