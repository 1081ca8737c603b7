import { batch } from '../kit/process/batch.js'
import { createCarrierClients, type CARRIER_KINDS } from '../carriers/registry.js'
import { readConfig, type Config } from '../config.js'
import { ConfigInvalid } from '../config/invalid.js'
import { connectDatabase, poolUse } from '../database/connection.js'
import { deliverNext, type LaneStep } from '../database/endpoints/deliveries/delivering.js'
import { listLanguagesOf } from '../database/carriers/carrier-accounts.js'
import { findOpenIncomingWebhooks } from '../database/lines/incoming-webhooks.js'
import { findLinesByNumbers } from '../database/lines/lines.js'
import type { Receipt } from '../database/messages/receipts.js'
import {
  claimMessages,
  settleMessages,
  type ClaimRequest,
  type Settlement,
} from '../database/messages/sending.js'
import { insertSimulatedMessages, type SimulatedMessage } from '../database/simulator/simulator-outbox.js'
import { createMailer } from '../mail.js'
import { createAccountLanes } from '../queues/account-lanes.js'
import { createQueues } from '../queues/queues.js'
import { connectRedis } from '../kit/redis/redis.js'
import { createSafeFetch } from '../safe-fetch.js'
import { createSecrets } from '../secrets.js'
import { createSlidingWindows } from '../kit/redis/sliding-window.js'
import { stopWithStarter } from '../kit/process/stop-request.js'
import { createStorage } from '../storage/create.js'
import { createLog } from '../telemetry/log.js'
import { watchPool } from '../telemetry/metrics.js'
import { createThrottle } from '../kit/redis/throttle.js'
import { createVocabulary } from '../vocabulary.js'
import { SERVICE } from './operating/audit/actor.js'
import { findCallingAccounts } from './carriers/calling-accounts.js'
import { LOOK_AGAIN_MS, type Batched, type Context, type Inbound } from './context.js'
import { MAX_LOST } from './crashes.js'
import { DISABLE_AFTER_MS } from './endpoints/deliveries/retry-schedule.js'
import { createLeases, LEASE_MS, stopLeases } from './leases.js'
import { receiveReceipts } from './messages/receipts.js'
import { receiveBatch } from './messages/receive.js'
import { createSendingQueue } from './messages/sending-queue.js'
import { createQueueing } from './messages/submit/queueing.js'
import { createRowCache } from './row-cache.js'

/** A client waits for the answer, and can try again. */
const CALLERS_WAIT_MS = 1000

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

export function createContext(
  config: Config,
  options: {
    process: string
    poolSize?: number
    statementTimeoutMs?: number
    acquireTimeoutMs?: number
    /** The longest that a client's request may wait for its turn at a statement. */
    callersWaitMs?: number
    /** True if the process was started for one job only, which may crash it. */
    isAlone?: boolean
    carrierKinds?: typeof CARRIER_KINDS
  },
): Context {
  const maxLost = options.isAlone === true ? ANY_NUMBER : MAX_LOST
  const log = createLog(options.process, config.logLevel, config.logFormat)
  const db = connectDatabase({
    url: config.databaseUrl,
    poolSize: options.poolSize ?? config.databasePoolSize,
    applicationName: options.process,
    namesStatements: config.databaseNamedStatements,
    ...(options.statementTimeoutMs === undefined ? {} : { statementTimeoutMs: options.statementTimeoutMs }),
    ...(options.acquireTimeoutMs === undefined ? {} : { acquireTimeoutMs: options.acquireTimeoutMs }),
  })
  const unwatchPool = watchPool(() => poolUse(db))
  const redis = connectRedis(config.redisUrl, 'fail-fast', log, config.redisSentinels)
  const queues = createQueues(redis, log)
  const safeFetch = createSafeFetch({
    allowHttp: config.allowHttp,
    allowedPrivateCidrs: config.allowedPrivateCidrs,
  })
  const carrierFetch = createSafeFetch({
    allowHttp: config.allowHttp,
    allowedPrivateCidrs: [...config.allowedPrivateCidrs, ...config.allowedCarrierCidrs],
  })
  const storage = createStorage(config)
  const takeSimulated = batch(async (messages: readonly SimulatedMessage[]) => {
    await insertSimulatedMessages(db, messages)
    return [...messages]
  })

  const carriers = createCarrierClients(
    {
      http: carrierFetch,
      log,
      publicUrl: config.publicUrl,
      simulatorOutbox: config.simulator ? { take: takeSimulated } : undefined,
    },
    options.carrierKinds,
  )

  const leases = createLeases(db, log)
  const windows = createSlidingWindows(redis)
  const secrets = createSecrets(config.encryptionKeys)
  const accountLanes = createAccountLanes(
    redis,
    () => connectRedis(config.redisUrl, 'wait', log, config.redisSentinels),
    log,
  )
  const { heldKinds } = carriers
  const sendingQueue = createSendingQueue({ db, queues, accountLanes, log, heldKinds })
  const tools = { carriers, db, queues, sendingQueue, windows, log, secrets }
  const batched = createBatched(config, tools, maxLost, {
    maxWaitMs: options.callersWaitMs ?? CALLERS_WAIT_MS,
  })

  return {
    config,
    actor: SERVICE,
    log,
    db,
    redis,
    queues,
    windows,
    throttle: createThrottle(redis),
    leases,
    carriers,
    accountLanes,
    sendingQueue,
    secrets,
    safeFetch,
    carrierFetch,
    mailer: config.smtp === undefined ? undefined : createMailer(config.smtp),
    storage,
    vocabulary: createVocabulary(config.productWord),
    batched,
    incomingWebhooks: createRowCache(batched.findOpenIncomingWebhook),
    callingAccounts: createRowCache(batched.findCallingAccount),
    maxLost,
    close: async () => {
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

function createBatched(
  config: Config,
  {
    carriers,
    db,
    queues,
    sendingQueue,
    windows,
    log,
    secrets,
  }: Pick<Context, 'carriers' | 'db' | 'queues' | 'sendingQueue' | 'windows' | 'log' | 'secrets'>,
  maxLost: number,
  forCallers: { maxWaitMs: number },
): Batched {
  const claimLimits = {
    leaseMs: LEASE_MS.messages,
    maxAgeMs: config.messageTtlMs,
    lookAgainMs: LOOK_AGAIN_MS,
    heldKinds: carriers.heldKinds,
  }
  const laneLimits = {
    leaseMs: LEASE_MS.deliveries,
    maxLost,
    maxInFlight: config.endpointMaxInFlight,
    disableAfterMs: DISABLE_AFTER_MS,
  }

  return {
    findOpenIncomingWebhook: batch(
      (lineIds: readonly string[]) => findOpenIncomingWebhooks(db, lineIds),
      forCallers,
    ),

    findLanguages: batch((names: readonly string[]) => listLanguagesOf(db, names), forCallers),

    findCallingAccount: batch(
      (ids: readonly string[]) => findCallingAccounts({ carriers, db, secrets, log }, ids),
      forCallers,
    ),

    queueMessage: batch(createQueueing({ db, queues, sendingQueue, config }), forCallers),
    claimMessage: batch((claims: readonly ClaimRequest[]) =>
      claimMessages(db, claims, { ...claimLimits, heldAccounts: carriers.heldAccounts() }),
    ),
    settleMessage: batch(async (settlements: readonly Settlement[]) => {
      const { requeued, deliveries } = await settleMessages(db, settlements)
      void queues.enqueueMessages(requeued)
      void queues.enqueueDeliveries(deliveries)
      return settlements.map(() => true)
    }),

    deliverNext: batch((steps: readonly LaneStep[]) => deliverNext(db, steps, laneLimits)),
    findLineByNumber: batch((numbers: readonly string[]) => findLinesByNumbers(db, numbers), forCallers),
    receiveMessage: batch(
      (inbound: readonly Inbound[]) => receiveBatch({ db, queues, windows, log }, inbound),
      forCallers,
    ),
    receiveReceipt: batch(
      (receipts: readonly Receipt[]) => receiveReceipts({ db, queues }, receipts),
      forCallers,
    ),
  }
}
