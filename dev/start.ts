import { ConfigInvalid, readConfig, type Config } from '../src/config.js'
import { migrate, MIGRATION_STATEMENT_MS } from '../src/database/migrations.js'
import { createContext, type Context } from '../src/domain/context.js'
import { createFirstSetUpLink } from '../src/domain/set-up-links.js'
import { asError } from '../src/errors.js'
import { banner } from './banner.js'
import {
  DATA_FOLDER,
  embeddedEnvironment,
  embeddedSettings,
  givenEnvironment,
  keepReceiverPort,
  keepRunning,
} from './embedded.js'
import { freePort, isFree } from './free-port.js'
import { holdsBefore } from './process.js'
import { prepareSample, type Sample } from './sample.js'
import { startServices, type Services } from './services.js'
import { takeStartLock } from './start-lock.js'
import { fromSources, readProcfile, supervise, type ProcessType } from './supervise.js'

/** Said as it is, without a stack: what the person at the terminal can mend. */
export class StartRefused extends Error {
  override name = 'StartRefused'
}

const READY_MS = 30_000
const RECEIVER: ProcessType = { name: 'receiver', command: ['node', 'dist/dev/receiver.js'] }

/**
 * Runs the whole service in the foreground: Postgres and Redis where none are configured, migrations, the sample,
 * and every process of the Procfile. Resolves when a signal has ended it and nothing of it is left running.
 *
 * @throws StartRefused
 */
export async function start({ watch = false } = {}): Promise<void> {
  const stopping = whenSignalled()
  const given = givenEnvironment()
  const isEmbedded = given.DATABASE_URL === undefined
  const lock = takeStartLock()
  if ('heldBy' in lock) {
    throw new StartRefused(`Linehook runs in this folder already (process ${lock.heldBy}): stop it first.`)
  }
  try {
    const settings = { ...(isEmbedded ? embeddedEnvironment() : {}), ...given }
    await requireFreePort(checkConfig({ ...STANDING_IN, ...settings }))
    const services = await startOwnServices(given)
    try {
      const urls = { DATABASE_URL: services.databaseUrl, REDIS_URL: services.redisUrl }
      const env = { ...settings, ...urls, STARTED_BY_PID: String(process.pid) }
      const config = checkConfig(env)
      if (isEmbedded) keepRunning({ ...services, publicUrl: config.publicUrl })
      const prepared = await prepare(config, isEmbedded && config.simulator)
      if (!stopping.has()) {
        const { receiver } = prepared
        const types = [...readProcfile(), ...(receiver ? [RECEIVER] : [])]
        const supervisor = supervise(watch ? types.map(fromSources) : types, { ...env, ...receiver }, print)
        const isReady = await holdsBefore(
          Date.now() + READY_MS,
          async () => stopping.has() || (await isUp(config)),
        )
        if (!stopping.has()) {
          print(isReady ? banner(config, prepared) : 'Linehook is not ready after 30 s: see the lines above.')
        }
        await stopping.signal
        print('Stopping …')
        await supervisor.stop()
      }
    } finally {
      await services.stop()
    }
  } finally {
    lock.release()
  }
}

/** So that the rest of a configuration is judged before anything is started. */
const STANDING_IN = { DATABASE_URL: 'postgres://embedded', REDIS_URL: 'redis://embedded' }

function checkConfig(env: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(env)
  } catch (error) {
    throw error instanceof ConfigInvalid ? new StartRefused(error.message) : error
  }
}

async function startOwnServices({ DATABASE_URL, REDIS_URL }: NodeJS.ProcessEnv): Promise<Services> {
  print('Starting Postgres and Redis …')
  try {
    return await startServices({
      dataFolder: DATA_FOLDER,
      log: print,
      ...(DATABASE_URL === undefined ? {} : { databaseUrl: DATABASE_URL }),
      ...(REDIS_URL === undefined ? {} : { redisUrl: REDIS_URL }),
    })
  } catch (error) {
    throw new StartRefused(asError(error).message, { cause: error })
  }
}

interface Prepared {
  sample?: Sample
  /** The environment of `dev/receiver.ts`. */
  receiver?: Record<string, string>
  /** While no operator can sign in. */
  setUpUrl?: string
}

/** Migrations, a link for the first operator, and in the embedded set-up the sample and a port for its receiver. */
async function prepare(config: Config, withSample: boolean): Promise<Prepared> {
  const context = createContext(
    { ...config, logLevel: 'warn' },
    { process: 'start', poolSize: 2, statementTimeoutMs: MIGRATION_STATEMENT_MS },
  )
  try {
    await migrate(context.db)
    const prepared = withSample ? await prepareReceiver(context) : {}
    const setUpLink = await createFirstSetUpLink(context)
    return { ...prepared, ...(setUpLink ? { setUpUrl: setUpLink.url } : {}) }
  } finally {
    await context.close()
  }
}

async function prepareReceiver(context: Context): Promise<Prepared> {
  const former = embeddedSettings().receiverPort ?? context.config.port + 1
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
}

function receiverUrl(port: number): string {
  return `http://127.0.0.1:${port}/`
}

/** Waits a little: the processes of a start that was killed with -9 are just noticing it. */
async function requireFreePort({ port, host }: Config): Promise<void> {
  if (await holdsBefore(Date.now() + 3000, () => isFree(port, host))) return
  throw new StartRefused(
    `Port ${port} is in use: stop the program that has it, or choose another one: PORT=${port + 1} npm start`,
  )
}

function isUp({ port, host }: Config): Promise<boolean> {
  const address = host === '0.0.0.0' || host === '::' ? 'localhost' : host
  return fetch(`http://${address}:${port}/readyz`).then(
    (response) => response.ok,
    () => false,
  )
}

function whenSignalled() {
  let isSignalled = false
  const signal = new Promise<void>((resolve) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      process.on(name, () => {
        isSignalled = true
        resolve()
      })
    }
  })
  return { signal, has: () => isSignalled }
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
