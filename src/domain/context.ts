import type { Redis } from 'ioredis'
import type { AccountLanes } from '../queues/account-lanes.js'
import type { CarrierClients } from '../carriers/registry.js'
import type { Config } from '../config.js'
import type { Database } from '../database/connection.js'
import type { LaneAnswer, LaneStep } from '../database/endpoints/deliveries/delivering.js'
import type { OpenIncomingWebhook } from '../database/lines/incoming-webhooks.js'
import type { Line } from '../database/lines/lines.js'
import type { QueueAnswer, QueueRequest } from '../database/messages/queueing.js'
import type { Receipt } from '../database/messages/receipts.js'
import type { ReceiveAnswer, ReceiveRequest } from '../database/messages/receiving.js'
import type { ClaimAnswer, ClaimRequest, Settlement } from '../database/messages/sending.js'
import type { Language } from '../kit/text/national-tables.js'
import type { Mailer } from '../mail.js'
import type { Queues } from '../queues/queues.js'
import type { SafeFetch } from '../safe-fetch.js'
import type { Secrets } from '../secrets.js'
import type { SlidingWindows } from '../kit/redis/sliding-window.js'
import type { Storage } from '../storage/storage.js'
import type { Logger } from '../telemetry/log.js'
import type { Throttle } from '../kit/redis/throttle.js'
import type { Vocabulary } from '../vocabulary.js'
import type { Actor } from './operating/audit/actor.js'
import type { CallingAccount } from './carriers/calling-accounts.js'
import type { Leases } from './leases.js'
import type { ReceiptAnswer } from './messages/receipts.js'
import type { SendingQueue } from './messages/sending-queue.js'
import type { Keyword } from './messages/opt-out/keywords.js'
import type { RowCache } from './row-cache.js'

/** The resources of a process. It is made once at its start; every domain function takes it first. */
export interface Context {
  config: Config
  /** The actor of each action; it changes with each request (`actingAs`). */
  actor: Actor
  log: Logger
  db: Database
  redis: Redis
  queues: Queues
  windows: SlidingWindows
  throttle: Throttle
  leases: Leases
  carriers: CarrierClients
  accountLanes: AccountLanes
  sendingQueue: SendingQueue
  secrets: Secrets
  safeFetch: SafeFetch
  /** Like `safeFetch`, but for the hosts of carrier accounts, which operators name. */
  carrierFetch: SafeFetch
  /** undefined if no mail is sent. */
  mailer: Mailer | undefined
  /** Our copies of media. */
  storage: Storage
  vocabulary: Vocabulary
  batched: Batched
  incomingWebhooks: RowCache<OpenIncomingWebhook>
  callingAccounts: RowCache<CallingAccount>
  /** This process leaves rows alone that have lost their worker this often in a row. */
  maxLost: number
  /** Closes Redis and Postgres last, because work under way may need them. */
  close(): Promise<void>
}

/**
 * A message that waits for an earlier one, or for its media, gets its job from them. After this time the sweep
 * checks, in case their process died.
 */
export const LOOK_AGAIN_MS = 30_000

/** The statements of the hot paths: calls of one turn of the event loop become one round trip. */
export interface Batched {
  findOpenIncomingWebhook: (lineId: string) => Promise<OpenIncomingWebhook | undefined>
  /** The languages whose tables the account with this name may use. */
  findLanguages: (carrierAccount: string) => Promise<Language[]>
  findCallingAccount: (id: string) => Promise<CallingAccount | undefined>
  findLineByNumber: (number: string) => Promise<Line | undefined>
  queueMessage: (request: QueueRequest) => Promise<QueueAnswer>
  claimMessage: (claim: ClaimRequest) => Promise<ClaimAnswer>
  settleMessage: (settlement: Settlement) => Promise<boolean>
  deliverNext: (step: LaneStep) => Promise<LaneAnswer>
  receiveMessage: (inbound: Inbound) => Promise<ReceiveAnswer>
  receiveReceipt: (receipt: Receipt) => Promise<ReceiptAnswer>
}

/** A message that a carrier has delivered, with its keyword. */
export interface Inbound extends ReceiveRequest {
  said?: { keyword: Keyword; isAnswered: boolean; receivedAt?: Date | undefined } | undefined
}

/**
 * The same context for requests of this actor, so that the audit log names them. It is made for one request: anything
 * that is kept for longer belongs to a part that both share, such as `db`.
 */
export function actingAs(context: Context, actor: Actor): Context {
  return { ...context, actor }
}
