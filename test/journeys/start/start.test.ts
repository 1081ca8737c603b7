import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { join, resolve } from 'node:path'
import { expect } from 'chai'
import { freePort } from '../../../dev/services/free-port.js'
import { runNode, stopProcesses, type RunningProcess } from '../../helpers/process/processes.js'
import { until } from '../../helpers/until.js'
import { createStartFolder, removeStartFolder, servicePids } from '../support/start-folder.js'
import {
  findWebhookUrl,
  inboundText,
  isAlive,
  messageTo,
  pidOf,
  pidsOf,
  post,
  textsInOutbox,
  untilBanner,
} from '../support/started.js'

const PROCESSES = ['web', 'send-message', 'deliver-event', 'fetch-media', 'maintenance', 'receive-smpp']

/** `npm start` as a stranger runs it: the compiled program, in a folder of its own, with nothing configured. */
describe('linehook start', function () {
  this.timeout(240_000)
  let folder = ''
  let port = 0

  before(async () => {
    folder = createStartFolder()
    port = await freePort()
  })

  // What a failed test has left would fail the following ones.
  afterEach(stopProcesses)
  after(() => {
    removeStartFolder(folder)
  })

  const start = (overrides: Record<string, string> = {}, ...options: string[]) =>
    runNode(
      'start',
      ['dist/bin/linehook.js', 'start', ...options],
      { PORT: String(port), ...overrides },
      folder,
    )

  const startUntilBanner = async (...options: string[]) => {
    const started = start({}, ...options)
    await untilBanner(started)
    return started
  }

  it('runs a sample that sends and receives, restarts killed processes, and leaves nothing behind', async () => {
    const started = await startUntilBanner()
    const webhookUrl = findWebhookUrl(started)
    expect(findSetUpUrl(started)).to.match(
      new RegExp(`^http://localhost:${port}/console/set-up\\?token=[\\w-]{43}$`),
    )

    expect(await post(webhookUrl, messageTo('+15005550199', 'first'))).to.deep.equal({ success: true })
    await until('the text is in the outbox', async () => (await outboxTexts()).includes('first'))

    await post(`http://127.0.0.1:${port}/simulator/inbound`, inboundText('Hi there'))
    await until('the signed event is printed', () =>
      started.lines.some((line) => line.includes('Hi there') && line.includes('signature valid')),
    )

    for (const name of PROCESSES) {
      process.kill(pidOf(started, name), 'SIGKILL')
      await until(`${name} is there again`, () => pidsOf(started, name).length === 2)
    }
    const killed = servicePids(folder)
    for (const pid of killed) process.kill(pid, 'SIGKILL')
    // Until `web` notices, it says that they are well.
    const areOthers = () =>
      servicePids(folder).filter((pid) => !killed.includes(pid)).length === killed.length
    await until('Postgres and Redis are there again', async () => areOthers() && (await areServicesReady()))
    await post(webhookUrl, messageTo('+15005550199', 'second'))
    await until('the text is in the outbox', async () => (await outboxTexts()).includes('second'))

    const pids = [...allPids(started), ...servicePids(folder)]
    expect(pids.length).to.be.greaterThan(9)
    await started.kill('SIGINT')
    expect(await started.exitCode).to.equal(0)
    expect(pids.filter(isAlive)).to.deep.equal([])
  })

  it('keeps its data, recovers from a kill -9, and refuses to run twice in one folder', async () => {
    const second = await startUntilBanner()
    const webhookUrl = findWebhookUrl(second)
    expect(await outboxTexts()).to.deep.equal(['second', 'first'])
    await second.kill('SIGKILL')

    const third = await startUntilBanner('--small')
    expect(findWebhookUrl(third)).to.equal(webhookUrl)
    expect(findSetUpUrl(third)).not.to.equal(findSetUpUrl(second))
    expect(await outboxTexts()).to.deep.equal(['second', 'first'])
    const refused = start({ PORT: String(await freePort()) })
    expect(await refused.exitCode).to.equal(1)
    expect(refused.lines).to.deep.equal([
      `Linehook is already running in this folder (process ${third.pid}). Stop it first.`,
    ])
    const left = [...allPids(second), ...allPids(third), ...servicePids(folder)]
    await third.kill('SIGTERM')
    // The workers of the killed one lost their Redis too, and drain for up to 25 s.
    await until('nothing is left', () => left.filter(isAlive).length === 0)
  })

  it('keeps waiting on a slow machine, says what for, and then shows the link to set up the account', async () => {
    const procfile = join(folder, 'Procfile')
    rmSync(procfile)
    writeFileSync(procfile, 'web: node slow-web.js\n')
    writeFileSync(join(folder, 'slow-web.js'), SLOW_WEB)
    try {
      const started = start()
      const missing = `web does not answer at http://127.0.0.1:${port}/readyz after 10 s, waiting for it …`
      await until(
        () => started.lines.join('\n'),
        () => started.lines.includes(missing),
        60_000,
      )
      expect(findSetUpUrl(started)).to.equal('')
      writeFileSync(join(folder, 'now'), '')
      await until('the link is shown', () => findSetUpUrl(started) !== '', 60_000)
      await started.kill('SIGTERM')
    } finally {
      rmSync(procfile)
      symlinkSync(resolve('Procfile'), procfile)
    }
  })

  it('says what to do if a port is in use', async () => {
    const server = createServer().listen(port, '127.0.0.1')
    await once(server, 'listening')
    try {
      const refused = start()
      expect(await refused.exitCode).to.equal(1)
      expect(refused.lines).to.deep.equal([
        `Port ${port} is in use. Stop the program that uses it, or choose another port: PORT=${port + 1} npm start`,
      ])
    } finally {
      server.close()
    }
  })

  it('says so if the machine does not have the address, and blames no port', async () => {
    for (const [variable, settings] of [
      ['HOST', { HOST: '192.0.2.7' }],
      ['METRICS_HOST', { METRICS_HOST: '192.0.2.7', METRICS_PORT: String(await freePort()) }],
    ] as const) {
      const refused = start(settings)
      expect(await refused.exitCode).to.equal(1)
      expect(refused.lines).to.deep.equal([
        `This machine does not have the address 192.0.2.7 (EADDRNOTAVAIL). Set ${variable} to one of its addresses, or to 0.0.0.0 for all.`,
      ])
    }
  })

  it('names the process that has no port for its metrics', async () => {
    const base = port - 1
    const refused = start({ METRICS_PORT: String(base) })
    expect(await refused.exitCode).to.equal(1)
    expect(refused.lines).to.deep.equal([
      `Port ${port}, for the metrics of send-message, is not available. Each process uses the port after the previous one. ` +
        'Stop the program that uses it, or choose another METRICS_PORT.',
    ])
  })

  it('lists every configuration error before it starts anything', async () => {
    const refused = start({ RATE_LIMIT_STATUS: '418', SIMULATOR: 'perhaps' })
    expect(await refused.exitCode).to.equal(1)
    expect(refused.lines.slice(1).map((line) => line.trim().split(' ')[0])).to.have.members([
      'RATE_LIMIT_STATUS',
      'SIMULATOR',
    ])
  })

  const outboxTexts = () => textsInOutbox(port)

  async function areServicesReady(): Promise<boolean> {
    const response = await fetch(`http://127.0.0.1:${port}/readyz`)
    const { postgres, redis } = (await response.json()) as { postgres: string; redis: string }
    return postgres === 'ok' && redis === 'ok'
  }

  /** Of what has written its file by now. */
})

/** `web` on a machine that takes until a file is there to load it. */
const SLOW_WEB = `import { existsSync } from 'node:fs'
  import { setTimeout as sleep } from 'node:timers/promises'
  while (!existsSync('now')) await sleep(50)
  await import('./dist/src/server.js')`

function findSetUpUrl({ lines }: RunningProcess): string {
  return /Set up your account \(this link works once\): (\S+)/.exec(lines.join('\n'))?.[1] ?? ''
}

function allPids(started: RunningProcess): number[] {
  return [started.pid, ...[...PROCESSES, 'workers'].flatMap((name) => pidsOf(started, name))]
}
