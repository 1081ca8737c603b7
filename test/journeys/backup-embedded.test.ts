import { join } from 'node:path'
import { expect } from 'chai'
import { Redis } from 'ioredis'
import { freePort } from '../../dev/services/free-port.js'
import type { Environment } from '../helpers/process/environment.js'
import { runNode, stopProcesses, type RunningProcess } from '../helpers/process/processes.js'
import { createTestRedis } from '../helpers/services/services.js'
import { until } from '../helpers/until.js'
import { createStartFolder, removeStartFolder } from './support/start-folder.js'
import { findWebhookUrl, messageTo, post, textsInOutbox, untilBanner } from './support/started.js'

/** docs/operating/backup.md, for what `npm start` brings: its Postgres has no pg_dump. */
describe('journey: backing up and restoring the data of linehook start', function () {
  this.timeout(300_000)
  let folder = ''
  let port = 0

  before(async () => {
    folder = createStartFolder()
    port = await freePort()
  })
  after(async () => {
    await stopProcesses()
    removeStartFolder(folder)
  })

  const program = () => join(folder, 'dist/bin/linehook.js')
  const start = async (): Promise<RunningProcess> => {
    const started = runNode('start', [program(), 'start', '--small'], { PORT: String(port) }, folder)
    await untilBanner(started)
    return started
  }
  const stop = async (started: RunningProcess) => {
    await started.kill('SIGTERM')
    expect(await started.exitCode).to.equal(0)
  }
  const linehook = (...args: string[]) => linehookWith({}, ...args)
  const linehookWith = async (environment: Environment, ...args: string[]) => {
    const command = runNode('linehook', [program(), ...args], { PORT: String(port), ...environment }, folder)
    return { exitCode: await command.exitCode, said: command.lines.join('\n') }
  }
  const messageCount = async () => {
    const { exitCode, said } = await linehook('message', 'list', '--json')
    expect(exitCode, said).to.equal(0)
    return (JSON.parse(said) as unknown[]).length
  }

  it('backs up while running and restores while stopped: earlier data is back, later data is gone', async () => {
    const first = await start()
    const webhookUrl = findWebhookUrl(first)
    await post(webhookUrl, messageTo('+15005550111', 'kept'))
    await until('it is sent', async () => (await textsInOutbox(port)).includes('kept'))
    const backup = await linehook('backup', 'linehook.backup')
    expect(backup.exitCode, backup.said).to.equal(0)
    await post(webhookUrl, messageTo('+15005550112', 'came later'))
    expect(await messageCount()).to.equal(2)

    const refused = await linehook('restore', 'linehook.backup', '--replace')
    expect(refused.exitCode).to.equal(1)
    expect(refused.said).to.match(
      /^Linehook is already running in this folder \(process \d+\)\. Stop it first\.$/,
    )
    await stop(first)

    const restored = await linehook('restore', 'linehook.backup', '--replace')
    expect(restored.exitCode, restored.said).to.equal(0)

    // A Redis that was not started here may have other data, which stay.
    const redisUrl = await createTestRedis()
    const redis = new Redis(redisUrl)
    await redis.set('of somebody else', 'data')
    const again = await linehookWith({ REDIS_URL: redisUrl }, 'restore', 'linehook.backup', '--replace')
    expect(again.exitCode, again.said).to.equal(0)
    expect(await redis.get('of somebody else')).to.equal('data')
    redis.disconnect()

    const second = await start()
    expect(await messageCount()).to.equal(1)
    expect(await textsInOutbox(port)).to.deep.equal(['kept'])
    // What waited in the backup may have been sent since, and nobody could pause sending before the start.
    const sending = await linehook('sending', 'status')
    expect(sending.said).to.match(/^all sending is paused since/)
    expect((await linehook('sending', 'resume')).exitCode).to.equal(0)
    // The secrets in it are opened by the folder's own key, and its webhook goes on.
    await post(webhookUrl, messageTo('+15005550113', 'afterwards'))
    await until('it is sent', async () => (await textsInOutbox(port)).includes('afterwards'))
    await stop(second)
  })
})
