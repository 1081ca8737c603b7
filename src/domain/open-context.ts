import { setMaxListeners } from 'node:events'
import { createCarrierClients, type CARRIER_KINDS } from '../carriers/registry.js'
import { readConfig, type Config } from '../config.js'
import { ConfigInvalid } from '../config/invalid.js'
import { connectDatabase, poolUse } from '../database/connection.js'
import { connectRedis } from '../kit/redis/redis.js'
import { createSlidingWindows } from '../kit/redis/sliding-window.js'
import { createThrottle } from '../kit/redis/throttle.js'
import { stopWithStarter } from '../kit/process/stop-request.js'
import { createMailer } from '../mail.js'
import { createAccountLanes } from '../queues/account-lanes.js'
import { createQueues } from '../queues/queues.js'
import { createSafeFetch } from '../safe-fetch.js'
import { createSecrets } from '../secrets.js'
import { createStorage } from '../storage/create.js'
import { createLog } from '../telemetry/log.js'
import { watchPool } from '../telemetry/metrics.js'
import { createVocabulary } from '../vocabulary.js'
import type { Context } from './context.js'
import { MAX_LOST } from './crashes.js'
import { createBatched } from './create-batched.js'
import { createLeases, stopLeases } from './leases.js'
import { giveLastPlacesBack } from './messages/send/give-places-back.js'
import { createSendingQueue } from './messages/sending-queue.js'
import { SERVICE } from './operating/audit/actor.js'
import { createRowCache } from './row-cache.js'
import { createSimulatorOutbox } from './simulator/outbox.js'

/** A client is waiting for the answer, and can try again. */
const CALLERS_WAIT_MS = 1000

/**
 * For the process `web`: while Postgres is unavailable, requests must get a 503 soon. Nothing was begun for a request
 * that got no connection.
 */
export const WEB_LIMITS = { acquireTimeoutMs: 1500 } as const

/** This is Postgres's largest integer. */
const ANY_NUMBER = 2_147_483_647

/** Called at the start of a process. With a faulty configuration it prints every fault and ends the process with 1. */
export function openContext(
  process: string,
  options: { acquireTimeoutMs?: number; isAlone?: boolean } = {},
): Context {
  try {
    const config = readConfig()
    // This comes before anything that waits: a worker without Redis waits forever.
    if (config.startedByPid !== undefined) stopWithStarter(config.startedByPid)
    return createContext(config, { process, ...options })
  } catch (error) {
    if (!(error instanceof ConfigInvalid)) throw error
    globalThis.process.stderr.write(`${error.message}\n`)
    globalThis.process.exit(1)
  }
}

interface ContextOptions {
  process: string
  poolSize?: number
  statementTimeoutMs?: number
  acquireTimeoutMs?: number
  /** How long a client's request may wait for its turn at a statement. */
  callersWaitMs?: number
  /** True if the process was started for one job only, which may crash it. */
  isAlone?: boolean
  carrierKinds?: typeof CARRIER_KINDS
}

export function createContext(config: Config, options: ContextOptions): Context {
  const log = createLog(options.process, config.logLevel, config.logFormat)
  const secrets = createSecrets(config.encryptionKeys)
  const closing = new AbortController()
  // Each write that waits for a store listens to it (`retryWrite`): as many as this process has slots.
  setMaxListeners(0, closing.signal)

  const db = connectDatabase({
    url: config.databaseUrl,
    poolSize: options.poolSize ?? config.databasePoolSize,
    applicationName: options.process,
    namesStatements: config.databaseNamedStatements,
    statementTimeoutMs: options.statementTimeoutMs,
    acquireTimeoutMs: options.acquireTimeoutMs,
  })
  const unwatchPool = watchPool(() => poolUse(db))
  const leases = createLeases(db, log)
  const maxLost = options.isAlone === true ? ANY_NUMBER : MAX_LOST

  const { safeFetch, carrierFetch } = createFetches(config)
  const carriers = createCarrierClients(
    {
      http: carrierFetch,
      log,
      publicUrl: config.publicUrl,
      simulatorOutbox: config.simulator ? createSimulatorOutbox(db) : undefined,
    },
    options.carrierKinds,
  )
  const storage = createStorage(config)

  const connect = (whenAway: 'fail-fast' | 'wait') =>
    connectRedis(config.redisUrl, whenAway, log, config.redisSentinels)
  const redis = connect('fail-fast')
  const queues = createQueues(redis, log)
  const windows = createSlidingWindows(redis)
  const accountLanes = createAccountLanes(redis, () => connect('wait'), log)
  const { heldKinds } = carriers
  const sendingQueue = createSendingQueue({ db, queues, accountLanes, log, heldKinds })

  const batched = createBatched(
    { config, carriers, db, queues, sendingQueue, windows, log, secrets, maxLost },
    { maxWaitMs: options.callersWaitMs ?? CALLERS_WAIT_MS },
  )

  return {
    actor: SERVICE,
    config,
    vocabulary: createVocabulary(config.productWord),
    secrets,
    log,

    db,
    batched,
    incomingWebhooks: createRowCache(batched.findOpenIncomingWebhook),
    callingAccounts: createRowCache(batched.findCallingAccount),
    leases,
    maxLost,

    redis,
    queues,
    sendingQueue,
    accountLanes,
    windows,
    throttle: createThrottle(redis),

    carriers,
    safeFetch,
    carrierFetch,
    mailer: config.smtp === undefined ? undefined : createMailer(config.smtp),
    storage,

    closing: closing.signal,
    close: async () => {
      closing.abort()
      await giveLastPlacesBack(queues)
      await stopLeases(leases)
      await carriers.close()
      await carrierFetch.close()
      await safeFetch.close()
      storage.close()
      await queues.close()
      redis.disconnect()
      unwatchPool()
      await db.destroy()
    },
  }
}

/** The connections to one host besides those of deliveries: for test events and replays. */
const OTHER_CONNECTIONS = 50

function createFetches({ allowHttp, allowedPrivateCidrs, allowedCarrierCidrs, deliverConcurrency }: Config) {
  return {
    safeFetch: createSafeFetch({
      allowHttp,
      allowedPrivateCidrs,
      // Endpoints of many users may be on one host. With fewer, those that hang there would hold up the others.
      maxConnectionsPerOrigin: deliverConcurrency + OTHER_CONNECTIONS,
    }),
    carrierFetch: createSafeFetch({
      allowHttp,
      allowedPrivateCidrs: [...allowedPrivateCidrs, ...allowedCarrierCidrs],
    }),
  }
}
