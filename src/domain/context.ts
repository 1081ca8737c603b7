import type { Redis } from 'ioredis'
import { batch } from '../batch.js'
import { createCalls, type Calls } from '../calls.js'
import { createCarrierClients, type CARRIER_KINDS, type CarrierClients } from '../carriers/registry.js'
import { ConfigInvalid, readConfig, type Config } from '../config.js'
import { connectDatabase, poolUse, type Database } from '../database/connection.js'
import { deliverNext, type LaneStep } from '../database/deliveries/delivering.js'
import { findOpenIncomingWebhooks, type OpenIncomingWebhook } from '../database/incoming-webhooks.js'
import { findLinesByNumbers } from '../database/lines.js'
import { queueMessages, type QueueAnswer, type QueueRequest } from '../database/messages/queueing.js'
import type { Receipt } from '../database/messages/receipts.js'
import {
  claimMessages,
  settleMessages,
  type ClaimRequest,
  type Settlement,
} from '../database/messages/sending.js'
import { insertSimulatedMessages, type SimulatedMessage } from '../database/simulator-outbox.js'
import { createMailer, type Mailer } from '../mail.js'
import { createQueues, type Queues } from '../queues/queues.js'
import { connectRedis } from '../redis.js'
import { createSafeFetch, type SafeFetch } from '../safe-fetch.js'
import { createSecrets, type Secrets } from '../secrets.js'
import { createSlidingWindows, type SlidingWindows } from '../sliding-window.js'
import { stopWithStarter } from '../stop-request.js'
import { createStorage } from '../storage/create.js'
import type { Storage } from '../storage/storage.js'
import { createLog, type Logger } from '../telemetry/log.js'
import { watchPool } from '../telemetry/metrics.js'
import { createThrottle, type Throttle } from '../throttle.js'
import { createVocabulary, type Vocabulary } from '../vocabulary.js'
import { SERVICE, type Actor } from './audit/actor.js'
import { findCallingAccounts, type CallingAccount } from './calling-accounts.js'
import { MAX_LOST } from './crashes.js'
import { DISABLE_AFTER_MS } from './deliveries/retry-schedule.js'
import { createLeases, LEASE_MS, stopLeases, type Leases } from './leases.js'
import { createLineBacklogs } from './messages/line-backlogs.js'
import { receiveReceipts } from './messages/receipts.js'
import { receiveBatch, type Inbound } from './messages/receive-batch.js'
import { countAnswers } from './messages/request-counts.js'
import { createRowCache, type RowCache } from './row-cache.js'

/** What a process has in its hands. Made once at its start; every domain function takes it first. */
export interface Context {
  config: Config
  /** On whose behalf things are done; it changes with each request (`actingAs`). */
  actor: Actor
  log: Logger
  db: Database
  redis: Redis
  queues: Queues
  windows: SlidingWindows
  throttle: Throttle
  leases: Leases
  carriers: CarrierClients
  calls: Calls
  secrets: Secrets
  safeFetch: SafeFetch
  /** As `safeFetch`, for the hosts of carrier accounts, which operators name. */
  carrierFetch: SafeFetch
  /** undefined: there are no mails. */
  mailer: Mailer | undefined
  /** Our copies of media. */
  storage: Storage
  vocabulary: Vocabulary
  batched: Batched
  incomingWebhooks: RowCache<OpenIncomingWebhook>
  callingAccounts: RowCache<CallingAccount>
  /** This process leaves alone what has lost its worker so often in a row. */
  maxLost: number
  /** Redis and Postgres last: what is still under way may need them. */
  close(): Promise<void>
}

/** The largest that Postgres's integers have. */
const ANY_NUMBER = 2_147_483_647

/**
 * A message that waits for an earlier one, or for its media, gets its job from them. After this the sweep looks, in case
 * their process died.
 */
export const LOOK_AGAIN_MS = 30_000

/** The statements of the hot paths, one round trip for the calls of one event-loop turn. */
type Batched = ReturnType<typeof createBatched>

/** Called at the start of a process. With a faulty configuration it prints every fault and ends the process with 1. */
export function openContext(
  process: string,
  options: { statementTimeoutMs?: number; isAlone?: boolean } = {},
): Context {
  try {
    const config = readConfig()
    // This comes before anything that waits: a worker without Redis waits for ever.
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
    /** The process was started for one job only, which may crash it. */
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
  const redis = connectRedis(config.redisUrl, 'fail-fast', log)
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
  const batched = createBatched(config, { carriers, db, queues, windows, log, secrets }, maxLost)
  const calls = createCalls(redis, () => connectRedis(config.redisUrl, 'wait', log), log)

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
    calls,
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
      await calls.close()
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

/**
 * The same context for what this actor asks for, so that the audit log names them. It is made for one request: what is kept
 * for longer hangs on something that both have, such as `db`.
 */
export function actingAs(context: Context, actor: Actor): Context {
  return { ...context, actor }
}

function createBatched(
  config: Config,
  {
    carriers,
    db,
    queues,
    windows,
    log,
    secrets,
  }: Pick<Context, 'carriers' | 'db' | 'queues' | 'windows' | 'log' | 'secrets'>,
  maxLost: number,
) {
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
  const lineBacklogs = createLineBacklogs(config.maxQueuedPerLine)

  return {
    findOpenIncomingWebhook: batch((lineIds: readonly string[]) => findOpenIncomingWebhooks(db, lineIds)),

    findCallingAccount: batch((ids: readonly string[]) =>
      findCallingAccounts({ carriers, db, secrets, log }, ids),
    ),

    queueMessage: batch(async (requests: readonly QueueRequest[]) => {
      const asked = requests.map((each) => ({ ...each, isLineRoomy: lineBacklogs.isRoomy(each.lineId) }))
      const answers = await queueMessages(db, asked, config.maxQueuedPerLine)
      const accepted = requests.filter((_, n) => isAccepted(answers[n]))
      lineBacklogs.note(requests, answers)
      countAnswers(requests, answers)
      // Not awaited: the rows are committed, and the answer does not need Redis.
      void queues.enqueueMessages(
        accepted.flatMap(({ messageId, media }) => (media ? [] : [firstJob(messageId)])),
      )
      // The message itself gets its job when its media are copied.
      void queues.enqueueMedia(accepted.flatMap(({ media }) => (media ? [firstJob(media.id)] : [])))
      return answers
    }),

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
    findLineByNumber: batch((numbers: readonly string[]) => findLinesByNumbers(db, numbers)),
    receiveMessage: batch((inbound: readonly Inbound[]) =>
      receiveBatch({ db, queues, windows, log }, inbound),
    ),
    receiveReceipt: batch((receipts: readonly Receipt[]) => receiveReceipts({ db, queues }, receipts)),
  }
}

function isAccepted(answer: QueueAnswer | Error | undefined): boolean {
  return answer !== undefined && !(answer instanceof Error) && answer.outcome === 'accepted'
}

function firstJob(id: string): { id: string; generation: number } {
  return { id, generation: 0 }
}
