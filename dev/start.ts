import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { ConfigInvalid, readConfig, type Config } from '../src/config.js'
import { migrate } from '../src/database/migrations.js'
import { createContext } from '../src/domain/context.js'
import {
  DATA_FOLDER,
  embeddedEnvironment,
  embeddedSettings,
  keepReceiverPort,
  keepServices,
} from './embedded.js'
import { freePort } from './free-port.js'
import { holdsBefore } from './process.js'
import { prepareSample, type Sample } from './sample.js'
import { startServices } from './services.js'
import { fromSources, readProcfile, supervise } from './supervise.js'

/** Said as it is, without a stack: what the person at the terminal can mend. */
export class StartRefused extends Error {
  override name = 'StartRefused'
}

const READY_MS = 30_000
const lockPath = join(DATA_FOLDER, 'start.pid')

/**
 * Runs the whole service in the foreground: Postgres and Redis where none are configured, migrations, the sample,
 * and every process of the Procfile. Resolves when a signal has ended it and nothing of it is left running.
 *
 * @throws StartRefused
 */
export async function start({ watch = false } = {}): Promise<void> {
  const stopped = onceSignalled()
  const print = (line: string) => process.stdout.write(`${line}\n`)
  const isEmbedded = !process.env.DATABASE_URL
  const settings = isEmbedded ? embeddedEnvironment() : {}
  const port = Number(process.env.PORT ?? 3000)
  takeLock()
  try {
    await requireFreePort(port)
    print('Starting Postgres and Redis …')
    const services = await startServices({
      dataFolder: DATA_FOLDER,
      log: print,
      ...(process.env.DATABASE_URL ? { databaseUrl: process.env.DATABASE_URL } : {}),
      ...(process.env.REDIS_URL ? { redisUrl: process.env.REDIS_URL } : {}),
    })
    try {
      const urls = { DATABASE_URL: services.databaseUrl, REDIS_URL: services.redisUrl }
      const env = { ...settings, ...process.env, ...urls, STARTED_BY_PID: String(process.pid) }
      const config = readConfig(env)
      if (isEmbedded) keepServices(services)
      const { sample, receiver } = await prepare(config, isEmbedded)

      const types = [...readProcfile(), ...(receiver ? [RECEIVER] : [])]
      const supervisor = supervise(watch ? types.map(fromSources) : types, { ...env, ...receiver }, print)
      const isReady = await holdsBefore(
        Date.now() + READY_MS,
        () => stopped.isStopped() || answers(`http://localhost:${port}/readyz`),
      )
      if (!stopped.isStopped())
        print(isReady ? banner(config, sample) : 'Linehook is not ready after 30 s: see the lines above.')
      await stopped.signal
      print('Stopping …')
      await supervisor.stop()
    } finally {
      await services.stop()
    }
  } catch (error) {
    throw error instanceof ConfigInvalid ? new StartRefused(error.message) : error
  } finally {
    rmSync(lockPath, { force: true })
  }
}

const RECEIVER = { name: 'receiver', command: ['node', 'dist/dev/receiver.js'] }

async function prepare(
  config: Config,
  isEmbedded: boolean,
): Promise<{ sample?: Sample; receiver?: Record<string, string> }> {
  const context = createContext({ ...config, logLevel: 'warn' }, { process: 'start', poolSize: 2 })
  try {
    await migrate(context.db)
    if (!isEmbedded || !config.simulator) return {}
    const former = embeddedSettings().receiverPort ?? config.port + 1
    const receiverPort = (await isFree(former)) ? former : await freePort()
    keepReceiverPort(receiverPort)
    const sample = await prepareSample(context, receiverUrl(receiverPort), receiverUrl(former))
    return {
      ...(sample ? { sample } : {}),
      receiver: {
        RECEIVER_PORT: String(receiverPort),
        ...(sample?.signingSecret === undefined ? {} : { RECEIVER_SECRET: sample.signingSecret }),
      },
    }
  } finally {
    await context.close()
  }
}

function receiverUrl(port: number): string {
  return `http://127.0.0.1:${port}/`
}

/** One start at a time in one folder: two would share its Postgres. A lock of a dead process is taken over. */
function takeLock(): void {
  mkdirSync(DATA_FOLDER, { recursive: true })
  for (;;) {
    try {
      writeFileSync(lockPath, String(process.pid), { flag: 'wx' })
      return
    } catch {
      const pid = Number(readFileSync(lockPath, 'utf8'))
      if (isRunning(pid)) {
        throw new StartRefused(`Linehook runs in this folder already (process ${pid}): stop it first.`)
      }
      rmSync(lockPath, { force: true })
    }
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return pid !== process.pid
  } catch {
    return false
  }
}

/** Waits a little: the processes of a start that was killed with -9 are just noticing it. */
async function requireFreePort(port: number): Promise<void> {
  if (await holdsBefore(Date.now() + 3000, () => isFree(port))) return
  throw new StartRefused(
    `Port ${port} is in use: stop the program that has it, or choose another one: PORT=${port + 1} npm start`,
  )
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => {
      resolve(false)
    })
    probe.listen(port, process.env.HOST ?? '127.0.0.1', () =>
      probe.close(() => {
        resolve(true)
      }),
    )
  })
}

async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    (response) => response.ok,
    () => false,
  )
}

function onceSignalled() {
  let isStopped = false
  const signal = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        isStopped = true
        resolve()
      })
    }
  })
  return { signal, isStopped: () => isStopped }
}

function banner({ publicUrl, queuesPassword }: Config, sample: Sample | undefined): string {
  const local = publicUrl
  return [
    '',
    '  Linehook is running.',
    '',
    `  Health           ${local}/readyz`,
    queuesPassword === undefined
      ? '  Queue dashboard  closed: set QUEUES_PASSWORD to open it'
      : `  Queue dashboard  ${local}/queues   (user operator, password ${queuesPassword})`,
    ...(sample?.webhookUrl === undefined
      ? []
      : [
          '',
          '  Send a text, then see it at the simulator:',
          `  curl -d '{"intent":"message","data":{"toNumber":"+15005550199","text":"Hello"}}' '${sample.webhookUrl}'`,
          `  curl '${local}/simulator/outbox?toNumber=%2B15005550199'`,
        ]),
    ...(sample === undefined
      ? []
      : [
          '',
          '  Have the line receive one, then see the event arrive in the lines below:',
          `  curl -d '{"fromNumber":"+15005550199","toNumber":"${sample.number}","text":"Hi there"}' '${local}/simulator/inbound'`,
        ]),
    '',
    '  Ctrl-C stops everything; the data stay in .data/',
    '',
  ].join('\n')
}
