import { expect } from 'chai'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '../../src/config.js'
import { migrate } from '../../src/database/migrations.js'
import type { Context } from '../../src/domain/context.js'
import { createContext } from '../../src/domain/open-context.js'
import { whenReady } from '../../src/kit/redis/redis.js'
import { answer, jsonAnswer } from '../bin/linehook.js'
import { MEDIA } from '../domain/media-samples.js'
import { createEnvironment, type Environment } from '../helpers/process/environment.js'
import { createLine, type TestLine } from '../helpers/factories.js'
import { startWeb, startWorkers, stopProcesses, type ProcessName } from '../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { createDataFolder, createTestRedis } from '../helpers/services/services.js'
import { startStandIn, type StandIn } from '../helpers/services/stand-in.js'
import { until } from '../helpers/until.js'
import { startDebianPostgres, type DebianPostgres } from './support/debian-postgres.js'
import {
  createInstallation,
  numbers,
  outboundMessages,
  post,
  postAll,
  takenCounts,
  whenSettled,
  WIDE,
} from './support/steps.js'

const WORKERS: ProcessName[] = ['send-message', 'deliver-event', 'fetch-media', 'maintenance']
const PNG = MEDIA.picture.png!

/** docs/operating/backup.md, step by step. */
describe('journey: a backup is restored', function () {
  this.timeout(240_000)

  let postgres: DebianPostgres
  let environment: Environment
  let line: TestLine
  let receiver: Receiver
  let host: StandIn
  const opened: (() => Promise<unknown>)[] = []
  let dump: string
  let mediaCopy: string
  const contexts: Context[] = []
  let sentBefore: string[]
  let waiting: string[]

  const simulate = async (url: string, inbound: Record<string, string>) => {
    const response = await fetch(`${url}/simulator/inbound`, {
      method: 'POST',
      body: JSON.stringify({ toNumber: line.number, ...inbound }),
    })
    expect(response.status, await response.text()).to.equal(200)
  }

  /** Bodies by the id of their event; each as often as it came. */
  const events = () =>
    receiver.requests.map(({ headers, body }) => ({
      id: String(headers['webhook-id']),
      payload: (JSON.parse(body) as { payload: string }).payload,
    }))

  before(async () => {
    postgres = await startDebianPostgres()
    opened.push(() => postgres.stop())
    receiver = await startReceiver()
    opened.push(() => receiver.close())
    host = await startStandIn()
    opened.push(() => host.close())
    const environmentOf = await createEnvironment({ DATABASE_URL: await postgres.createDatabase('first') })
    const config = readConfig(environmentOf)
    const migrating = createContext(config, { process: 'test' })
    await migrate(migrating.db)
    await migrating.close()
    const installation = await createInstallation(environmentOf)
    environment = installation.environment
    const { context } = installation
    contexts.push(context)
    line = await createLine(context, { ...WIDE, outgoingUrl: receiver.url })

    const web = await startWeb(environment)
    const workers = await startWorkers(WORKERS, environment)
    sentBefore = await postAll(
      web.url,
      line,
      numbers(5).map((toNumber) => ({ toNumber })),
    )
    await simulate(web.url, { fromNumber: '+14155550001', mediaUrl: host.give(PNG) })
    await whenSettled(context, line)
    await until('the picture has been delivered', () => receiver.requests.length === 1)
    await workers.kill('SIGTERM')

    waiting = await postAll(
      web.url,
      line,
      numbers(5, 100).map((toNumber) => ({ toNumber })),
    )
    await simulate(web.url, { fromNumber: '+14155550002', text: 'It waits' })
    await simulate(web.url, { fromNumber: '+14155550003', mediaUrl: host.give(PNG) })

    // The database first: a file is there before its row says so, so the copy has the file of every row.
    dump = join(createDataFolder('backup'), 'linehook.dump')
    await postgres.run('pg_dump', '--format=custom', `--file=${dump}`, environment.DATABASE_URL ?? '')
    mediaCopy = createDataFolder('media-copy')
    cpSync(environment.MEDIA_FOLDER ?? '', mediaCopy, { recursive: true })
    await web.kill('SIGKILL')
  })

  after(async () => {
    await stopProcesses()
    await Promise.all(contexts.map((context) => context.close()))
    for (const close of opened.reverse()) await close()
  })

  /** Into an empty database, beside an empty Redis. */
  async function restore(name: string): Promise<{ restored: Environment; context: Context }> {
    const DATABASE_URL = await postgres.createDatabase(name)
    await postgres.run('pg_restore', '--no-owner', '--exit-on-error', `--dbname=${DATABASE_URL}`, dump)
    const restored = {
      ...environment,
      DATABASE_URL,
      REDIS_URL: await createTestRedis(),
      MEDIA_FOLDER: mediaCopy,
    }
    const context = createContext(readConfig(restored), { process: 'test' })
    contexts.push(context)
    await whenReady(context.redis)
    return { restored, context }
  }

  it('sends and delivers waiting rows once, and nothing that was sent before the backup', async () => {
    const { restored, context } = await restore('second')
    expect(
      (await outboundMessages(context, line)).filter(({ status }) => status === 'queued'),
    ).to.have.length(5)
    const delivered = events()

    const { url } = await startWeb(restored)
    await startWorkers(WORKERS, restored)
    const settled = await whenSettled(context, line)
    expect(settled.map(({ id }) => id)).to.have.members([...sentBefore, ...waiting])
    expect(settled.every(({ status }) => status === 'delivered')).to.equal(true)
    expect([...(await takenCounts(context, line)).values()]).to.deep.equal(Array(10).fill(1))

    await until('both events came', () => receiver.requests.length >= 3)
    const added = events().slice(delivered.length)
    expect(new Set(added.map(({ id }) => id)).size).to.equal(2)
    expect(added.map(({ id }) => id)).to.not.include(delivered[0]?.id)
    expect(added.map(({ payload }) => payload)).to.include('It waits')
    // The copy of the picture of before the backup, and that of the one which waited.
    for (const { payload } of events().filter((each) => each.payload !== 'It waits')) {
      const { pathname } = new URL(payload)
      const bytes = Buffer.from(await (await fetch(url + pathname)).arrayBuffer())
      expect(bytes.equals(PNG), payload).to.equal(true)
    }
    await stopProcesses()
  })

  it('resends nothing from a backup that was followed by sending, if waiting messages are marked unknown first', async () => {
    const { restored, context } = await restore('third')
    const delivered = events()
    await answer(restored, 'sending', 'pause')
    expect(await jsonAnswer(restored, 'sending', 'after-restore')).to.include({ count: 5 })

    const { url } = await startWeb(restored)
    await startWorkers(WORKERS, restored)
    await answer(restored, 'sending', 'resume')
    const { messageId } = await post(url, line, { toNumber: '+14155559999' })
    await until('a new text is sent', async () => (await takenCounts(context, line)).get(messageId) === 1)
    const rows = await outboundMessages(context, line)
    const unknown = rows.filter(({ status, error }) => status === 'unknown' && error === 'restored')
    expect(unknown.map(({ id }) => id)).to.have.members(waiting)
    const taken = await takenCounts(context, line)
    expect(waiting.filter((id) => taken.has(id))).to.deep.equal([])

    // Events come at least once, so these come again: with the ids that they had.
    await until('both events came again', () => receiver.requests.length >= delivered.length + 2)
    const again = events().slice(delivered.length)
    expect(delivered.map(({ id }) => id)).to.include.members(again.map(({ id }) => id))
  })
})
