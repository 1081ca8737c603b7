import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig, withSecretFiles, type Config } from '../../src/config.js'
import { ConfigInvalid } from '../../src/config/invalid.js'
import { migrate, MIGRATION_STATEMENT_MS } from '../../src/database/migrations.js'
import { DatabaseUnavailable } from '../../src/database/outage.js'
import type { Context } from '../../src/domain/context.js'
import { createContext } from '../../src/domain/open-context.js'
import { countSealed, lostSecrets } from '../../src/domain/operating/sealed-secrets.js'
import { createFirstSetUpLink } from '../../src/domain/people/set-up-links.js'
import { asError } from '../../src/errors.js'
import { banner } from './banner.js'
import {
  DATA_FOLDER,
  embeddedEnvironment,
  embeddedSettings,
  givenEnvironment,
  keepReceiverPort,
  keepRunning,
  OTHER_KEY_CURE,
} from '../services/embedded.js'
import { freePort, isFree, whyNotFree } from '../services/free-port.js'
import { holdsWithin } from '../services/process.js'
import { untilReady } from './readiness.js'
import { prepareSample, type Sample } from './sample.js'
import { sayWhile } from './say-while.js'
import { reasonForSmall } from './small-machine.js'
import { startServices, type Services } from '../services/services.js'
import { takeStartLock } from '../services/start-lock.js'
import { stopSignal } from './stop-signal.js'
import {
  fromSources,
  joinWorkers,
  readProcfile,
  supervise,
  withMetricsPorts,
  type ProcessType,
} from './supervise.js'

/** A fault that the person at the terminal can fix. Its message is printed without a stack. */
export class StartRefused extends Error {
  override name = 'StartRefused'
}

const RECEIVER: ProcessType = { name: 'receiver', command: ['node', 'dist/dev/start/receiver.js'] }

/**
 * Runs the whole service in the foreground: Postgres and Redis where none are configured, migrations, the sample, and
 * every process of the Procfile. Resolves when it was asked to stop and everything that it started has ended.
 *
 * @param options.small true if all workers run in one process; by default the machine's memory decides
 * @throws StartRefused
 */
export async function start({
  watch = false,
  small,
}: { watch?: boolean; small?: boolean | undefined } = {}): Promise<void> {
  if (!existsSync('Procfile')) {
    throw new StartRefused('There is no Procfile here. Run `linehook start` in the project folder.')
  }
  const stopping = stopSignal()
  const { env: given, faults } = withSecretFiles(givenEnvironment())
  if (faults.length > 0) throw new StartRefused(new ConfigInvalid(faults).message)
  const lock = takeStartLock()
  if ('heldBy' in lock) {
    throw new StartRefused(
      `Linehook is already running in this folder (process ${lock.heldBy}). Stop it first.`,
    )
  }
  try {
    const settings = { ...(isEmbedded(given) ? embeddedEnvironment() : {}), ...given }
    const standingIn = checkConfig({ ...STANDING_IN, ...settings })
    await requireFreePort(standingIn)
    const smallBecause = reasonForSmall(small)
    const procfile = smallBecause === undefined ? readProcfile() : joinWorkers(readProcfile())
    const processes = withMetricsPorts(procfile, standingIn.metricsPort)
    await requireFreeMetricsPorts(processes, standingIn)
    const services = await startOwnServices(given, stopping)
    if (services === undefined) return
    try {
      const urls = { DATABASE_URL: services.databaseUrl, REDIS_URL: services.redisUrl }
      const env = { ...settings, ...urls, STARTED_BY_PID: String(process.pid) }
      const config = checkConfig(env)
      if (isEmbedded(given)) keepRunning({ ...services, publicUrl: config.publicUrl })
      const preparing = prepare(config, {
        withSample: isEmbedded(given) && config.simulator,
        withOwnKey: given.ENCRYPTION_KEY === undefined,
      })
      const prepared = await unlessStopped(preparing, 'The database is not prepared', stopping).catch(
        (error: unknown) => {
          throw isEmbedded(given) ? whyNotPrepared(error) : error
        },
      )
      if (prepared === undefined) return
      const types = [...processes, ...(prepared.receiver ? [RECEIVER] : [])]
      const children = { ...env, ...logFormatOf(config), ...prepared.receiver }
      const supervisor = supervise(watch ? types.map(fromSources) : types, children, print)
      await untilReady(config, print, stopping)
      const hasOwnQueuesPassword = given.QUEUES_PASSWORD !== undefined
      if (!stopping.aborted) print(banner(config, { ...prepared, smallBecause, hasOwnQueuesPassword }))
      await stopped(stopping)
      print('Stopping …')
      await supervisor.stop()
    } finally {
      await services.stop()
    }
  } finally {
    lock.release()
  }
}

/** The processes write to a pipe; this process prints their output. */
function logFormatOf({ logFormat }: Config): Record<string, string> {
  if (logFormat !== 'auto' || !process.stdout.isTTY) return {}
  return { LOG_FORMAT: 'pretty', ...(process.stdout.hasColors() ? { FORCE_COLOR: '1' } : {}) }
}

function isEmbedded({ DATABASE_URL }: NodeJS.ProcessEnv): boolean {
  return DATABASE_URL === undefined
}

/** Work that is stopped in the middle fails, because its Postgres goes away. That failure is not reported. */
async function unlessStopped<T>(
  work: Promise<T>,
  what: string,
  stopping: AbortSignal,
): Promise<T | undefined> {
  const patient = sayWhile(work, () => what, print)
  patient.catch(() => undefined)
  return Promise.race([patient, stopped(stopping)])
}

async function stopped(stopping: AbortSignal): Promise<undefined> {
  if (!stopping.aborted) await once(stopping, 'abort')
}

/** With these URLs, the rest of a configuration can be checked before anything is started. */
const STANDING_IN = { DATABASE_URL: 'postgres://embedded', REDIS_URL: 'redis://embedded' }

function checkConfig(env: NodeJS.ProcessEnv): Config {
  try {
    return readConfig(env)
  } catch (error) {
    throw error instanceof ConfigInvalid ? new StartRefused(error.message) : error
  }
}

/**
 * @returns undefined if it was asked to stop in the meantime
 * @throws StartRefused
 */
async function startOwnServices(
  { DATABASE_URL, REDIS_URL }: NodeJS.ProcessEnv,
  stopping: AbortSignal,
): Promise<Services | undefined> {
  print('Starting Postgres and Redis …')
  try {
    return await startServices({
      dataFolder: DATA_FOLDER,
      log: print,
      signal: stopping,
      ...(DATABASE_URL === undefined ? {} : { databaseUrl: DATABASE_URL }),
      ...(REDIS_URL === undefined ? {} : { redisUrl: REDIS_URL }),
    })
  } catch (error) {
    if (stopping.aborted) return undefined
    throw new StartRefused(asError(error).message, { cause: error })
  }
}

/**
 * The embedded Postgres may end in the middle, for example for want of memory or room. Only its log says why: for the
 * callers it is a Postgres that is not available, which at other times means that nothing was started.
 */
export function whyNotPrepared(error: unknown): unknown {
  if (!(error instanceof DatabaseUnavailable)) return error
  return new StartRefused(
    'The embedded Postgres ended, or could not go on, while the database was being prepared. ' +
      `See ${join(DATA_FOLDER, 'postgres', 'postgres.log')}, and then start again.`,
    { cause: error },
  )
}

interface Prepared {
  sample?: Sample
  /** The environment of `dev/start/receiver.ts`. */
  receiver?: Record<string, string>
  /** The link for the first operator, while no operator can sign in. */
  setUpUrl?: string
}

/**
 * Runs the migrations and makes a link for the first operator, and in the embedded set-up the sample and a port for
 * its receiver.
 */
async function prepare(
  config: Config,
  { withSample, withOwnKey }: { withSample: boolean; withOwnKey: boolean },
): Promise<Prepared> {
  const context = createContext(
    { ...config, logLevel: 'warn' },
    { process: 'start', poolSize: 2, statementTimeoutMs: MIGRATION_STATEMENT_MS },
  )
  try {
    await migrate(context.db)
    const lost = lostSecrets(await countSealed(context))
    if (lost !== undefined) print(`${lost.why} ${withOwnKey ? OTHER_KEY_CURE : lost.cure}`)
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

async function requireFreePort({ port, host }: Config): Promise<void> {
  const code = await waitForPort(port, host)
  if (code === undefined) return
  requireAddress('HOST', host, code)
  throw new StartRefused(
    code === 'EADDRINUSE'
      ? `Port ${port} is in use. Stop the program that uses it, or choose another port: PORT=${port + 1} npm start`
      : `Port ${port} cannot be used (${code}). Choose another port: PORT=3000 npm start`,
  )
}

/**
 * Waits up to 3 s, because the processes of a start that was killed with -9 need a moment to notice it.
 *
 * @returns undefined if the port is free, or the code of the error
 */
async function waitForPort(port: number, host: string): Promise<string | undefined> {
  let code: string | undefined
  await holdsWithin(3000, async () => {
    code = await whyNotFree(port, host)
    return code !== 'EADDRINUSE'
  })
  return code
}

/** @throws StartRefused if the port is not to blame */
function requireAddress(variable: string, host: string, code: string): void {
  if (!['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EAFNOSUPPORT'].includes(code)) return
  throw new StartRefused(
    `This machine does not have the address ${host} (${code}). Set ${variable} to one of its addresses, or to 0.0.0.0 for all.`,
  )
}

/**
 * Without this check a process would be started again and again.
 *
 * @throws StartRefused
 */
async function requireFreeMetricsPorts(
  processes: readonly ProcessType[],
  { port: webPort, metricsHost }: Config,
): Promise<void> {
  for (const { name, env } of processes) {
    if (env?.METRICS_PORT === undefined) continue
    const port = Number(env.METRICS_PORT)
    const code = port === webPort || port > MAX_PORT ? 'EADDRINUSE' : await waitForPort(port, metricsHost)
    if (code === undefined) continue
    requireAddress('METRICS_HOST', metricsHost, code)
    throw new StartRefused(
      `Port ${port}, for the metrics of ${name}, is not available. Each process uses the port after the previous one. ` +
        'Stop the program that uses it, or choose another METRICS_PORT.',
    )
  }
}

const MAX_PORT = 65_535

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
