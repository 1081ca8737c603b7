import type { Redis } from 'ioredis'
import type { AccountLanes } from '../queues/account-lanes.js'
import type { CarrierClients } from '../carriers/registry.js'
import type { Config } from '../config.js'
import type { Database } from '../database/connection.js'
import type { OpenIncomingWebhook } from '../database/lines/incoming-webhooks.js'
import type { Mailer } from '../mail.js'
import type { Queues } from '../queues/queues.js'
import type { SafeFetch } from '../safe-fetch.js'
import type { Secrets } from '../secrets.js'
import type { SlidingWindows } from '../kit/redis/sliding-window.js'
import type { Storage } from '../storage/storage.js'
import type { Logger } from '../telemetry/log.js'
import type { Throttle } from '../kit/redis/throttle.js'
import type { Vocabulary } from '../vocabulary.js'
import type { Batched } from './batched.js'
import type { Actor } from './operating/audit/actor.js'
import type { CallingAccount } from './carriers/calling-accounts.js'
import type { Leases } from './leases.js'
import type { SendingQueue } from './messages/sending-queue.js'
import type { RowCache } from './row-cache.js'

/**
 * The resources of a process. It is made once at its start (`createContext`); every domain function takes it first, or
 * only what it needs of it.
 */
export interface Context {
  // Who acts, and with which settings.
  /** The actor of each action; it changes with each request (`actingAs`). */
  actor: Actor
  config: Config
  vocabulary: Vocabulary
  secrets: Secrets
  log: Logger

  // Postgres, where everything is stored.
  db: Database
  batched: Batched
  incomingWebhooks: RowCache<OpenIncomingWebhook>
  callingAccounts: RowCache<CallingAccount>
  leases: Leases
  /** This process leaves alone rows that have lost their worker this often in a row. */
  maxLost: number

  // Redis, through which everything moves.
  redis: Redis
  queues: Queues
  sendingQueue: SendingQueue
  accountLanes: AccountLanes
  windows: SlidingWindows
  throttle: Throttle

  // The world outside.
  carriers: CarrierClients
  /** Calls the URLs that users give. */
  safeFetch: SafeFetch
  /** Like `safeFetch`, but for the hosts of carrier accounts, which operators name. */
  carrierFetch: SafeFetch
  /** undefined if no mail is sent. */
  mailer: Mailer | undefined
  /** Our copies of media. */
  storage: Storage

  /** It is aborted when the context begins to close. */
  closing: AbortSignal
  /** Closes Redis and Postgres last, because work under way may need them. */
  close(): Promise<void>
}

/**
 * The same context for requests of this actor, so that the audit log names them. It is made for one request: anything
 * that lives longer belongs to a part that both share, such as `db`.
 */
export function actingAs(context: Context, actor: Actor): Context {
  return { ...context, actor }
}
