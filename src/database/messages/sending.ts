import type { CarrierReason } from '../../carrier-reasons.js'
import type { CarrierWords, MediaReason, MessageReason } from '../../states.js'
import { callFunction } from '../answers.js'
import type { Database } from '../connection.js'
import type { SaidCharge } from './charges.js'
import type { NewDelivery } from '../endpoints/deliveries/creating.js'
import { indexable, toJson } from '../text.js'
import { CHANGED, changeMessages } from './announcing.js'
import {
  IS_QUEUED,
  renewLocked,
  requeueHeads,
  type Conversation,
  type Head,
  type Requeued,
} from './requeueing.js'

/** A message as the sending worker sees it, with the line's settings for sending. */
export interface MessageToSend {
  id: string
  /** The generation of its current job. */
  generation: number
  lineId: string
  account: {
    id: string
    name: string
    kind: string
    version: number
    messagesPerSecond: number | null
    messagesPerSecondPerLine: number | null
    /** True if lines with another route avoid the account, or did until a moment ago. */
    isAvoided: boolean
  }
  numberLimit: number
  lineLimit: number
  /**
   * True for a reply from the service itself, such as the confirmation of STOP, and for a message that the carrier has
   * throttled.
   */
  goesFirst: boolean
  /** True if it can go by another account if this one does not take it. */
  hasOtherRoute: boolean
  fromNumber: string
  toNumber: string
  text: string | null
  /** Our copies of the message's media, in order; null for one without. */
  media: { token: string; contentType: string | null; byteCount: number | null }[] | null
  ageMs: number
  carrierOptions: Record<string, string> | null
  /** null if its sender set no expiry. */
  expiresInMs: number | null
}

/** A worker's claim; its id is unique, and `settleMessages` needs it again. */
export interface ClaimRequest {
  id: string
  claim: string
  /**
   * The name of the account for which it has its places in the windows (`enterWindows`), which a claim needs after
   * the answer `crowded`.
   */
  placesAt?: string
  /** True if no process seems to hold its account's sessions. */
  isHere?: boolean
}

export type ClaimAnswer =
  /** `attempt` is the number of the message's attempt, from 1; the carrier gets it. */
  | { kind: 'claimed'; message: MessageToSend; attempt: number }
  /** It must not be sent any more. */
  | { kind: 'refused'; message: MessageToSend; error: MessageReason | MediaReason }
  /** A route of its line is for countries, and that of its number is not recorded yet (`noteCountry`). */
  | { kind: 'unrouted'; message: MessageToSend }
  /** The process that holds its account's sessions sends it. */
  | { kind: 'elsewhere'; message: MessageToSend }
  /** Its time has not come; `paused` means that the line and the number are. */
  | { kind: 'early' | 'paused'; message: MessageToSend; ms: number }
  /** It gets its job when an earlier message to its number is over, or when its media are copied. */
  | { kind: 'behind' | 'without_media'; message: MessageToSend }
  /** Sending is paused for its line, for its account or altogether. It gets its job when that is over. */
  | { kind: 'stopped'; message: MessageToSend }
  | { kind: 'crowded'; message: MessageToSend }
  /** The line's windows are full; `ms` is the time until they may have room. */
  | { kind: 'full'; message: MessageToSend; ms: number }
  /** Another worker has it, or it is over. */
  | { kind: 'missed' }

interface ClaimSettings {
  leaseMs: number
  /** A message that was accepted longer ago is no longer sent. */
  maxAgeMs: number
  /** The time after which the sweep looks at messages that wait for an earlier one or for their media. */
  lookAgainMs: number
  /** The kinds of carriers that send where the account's sessions are, and the accounts whose sessions are here. */
  heldKinds: readonly string[]
  heldAccounts: readonly string[]
}

interface ClaimRow extends MessageToSend {
  claim: string
  verdict: Exclude<ClaimAnswer['kind'], 'missed'>
  failure: MessageReason | MediaReason | null
  waitMs: number
  attempt: number | null
}

/**
 * Claims messages for a carrier call (`claim_messages`). Only one of all jobs for a message gets it, never before the
 * earlier messages to its number are over, and never beyond the line's limits.
 */
export async function claimMessages(
  db: Database,
  claims: readonly ClaimRequest[],
  limits: ClaimSettings,
): Promise<ClaimAnswer[]> {
  const rows = await callFunction<'claim_messages', ClaimRow>(
    db,
    'claim_messages',
    `?::jsonb, make_interval(secs => ?), make_interval(secs => ?), make_interval(secs => ?), ?::text[], ?::uuid[]`,
    [
      toJson(
        claims.map(({ id, claim, placesAt, isHere }) => ({
          id,
          claim,
          places_at: placesAt,
          is_here: isHere,
        })),
      ),
      limits.leaseMs / 1000,
      limits.maxAgeMs / 1000,
      limits.lookAgainMs / 1000,
      limits.heldKinds,
      limits.heldAccounts,
    ],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return claims.map(({ id, claim }) => asAnswer(claim, byId.get(id)))
}

function asAnswer(ownClaim: string, row: ClaimRow | undefined): ClaimAnswer {
  if (row === undefined) return { kind: 'missed' }
  const { claim, verdict, failure, waitMs, attempt, ...message } = row
  switch (verdict) {
    case 'claimed':
      // If a batch claims a message twice, only one of the claims gets it.
      return claim === ownClaim ? { kind: verdict, message, attempt: attempt ?? 1 } : { kind: 'missed' }
    case 'refused':
      return { kind: verdict, message, error: failure ?? 'internal_error' }
    case 'early':
    case 'paused':
    case 'full':
      return { kind: verdict, message, ms: waitMs }
    case 'unrouted':
    case 'elsewhere':
    case 'behind':
    case 'stopped':
    case 'without_media':
    case 'crowded':
      return { kind: verdict, message }
  }
}

/** Records the country of a queued message's number, or '' if it has none, so that routes for countries can take it. */
export async function noteCountry(db: Database, id: string, country: string): Promise<void> {
  await db.raw(`update messages set to_country = ? where id = any (?::uuid[]) and status = 'queued'`, [
    country,
    [id],
  ])
}

/**
 * Lets a queued message wait for room in a window: until then jobs do nothing with it, and the sweep leaves it alone.
 * It no longer waits for whatever an earlier attempt failed with. Does nothing if the message has got a new job since
 * it was read, because its turn has come.
 */
export async function postponeMessage(
  db: Database,
  { id, generation }: Pick<MessageToSend, 'id' | 'generation'>,
  ms: number,
): Promise<void> {
  await db.raw(
    `update messages m set due_at = clock_timestamp() + make_interval(secs => ?),
       not_before = clock_timestamp() + make_interval(secs => ?), error = null
     where m.id = any (?::uuid[]) and m.job_generation = ? and ${IS_QUEUED}`,
    [ms / 1000, ms / 1000, [id], generation],
  )
}

export interface Settlement {
  id: string
  /** The id of the claim that it ends. */
  claim: string
  status: 'sent' | 'failed' | 'unknown' | 'queued'
  error?: MessageReason | CarrierWords
  carrier?: string
  carrierMessageId?: string
  /** As in `Taken`. */
  carrierPartIds?: string[]
  /** The carrier's code that came with the error. */
  carrierCode?: string
  /** The meaning of that code. */
  carrierReason?: CarrierReason
  charge?: SaidCharge
  /** The wait before the next try, for `queued`. */
  dueInMs?: number
  /** True if throttled: the carrier was not really asked, so the attempt does not count. */
  uncounted?: boolean
  /** For `carrier_unavailable`: true if the account works, but not for this line. */
  isOfLine?: boolean
  /** For `failed`: true if another account might take what this one has rejected. */
  isOfAccount?: boolean
  /** For `queued`: the reason why this account certainly did not take it, and the line's next route is to be tried. */
  passedOver?: string
}

/** The results of ending messages, which the caller enqueues. */
export interface Settled {
  requeued: Requeued[]
  deliveries: NewDelivery[]
}

/** The results of ending messages that waited. */
export interface Ended extends Settled {
  /** Those that were queued give back their places in the windows (`givePlacesBack`). */
  left: ({ id: string } & Conversation)[]
}

/** Records how claimed messages ended, and hands each number to its next message (`settle_messages`). */
export async function settleMessages(db: Database, settlements: readonly Settlement[]): Promise<Settled> {
  const rows = await callFunction<'settle_messages', { requeued: Head[]; deliveries: NewDelivery[] }>(
    db,
    'settle_messages',
    '?::jsonb',
    [toJson(settlements.map(withStoredIds))],
  )
  const [{ requeued, deliveries } = { requeued: [], deliveries: [] }] = rows
  return { requeued: await renewLocked(db, requeued), deliveries }
}

/** A text that the carrier has taken stays sent, however long its id is. */
function withStoredIds(settlement: Settlement): Settlement {
  const { carrierMessageId, carrierPartIds } = settlement
  return {
    ...settlement,
    ...(carrierMessageId === undefined ? {} : { carrierMessageId: indexable(carrierMessageId) }),
    ...(carrierPartIds === undefined ? {} : { carrierPartIds: carrierPartIds.map(indexable) }),
  }
}

/** Ends queued messages that may not be sent (opted out, expired, line disabled). */
export async function failQueuedMessages(
  db: Database,
  failures: readonly ({ id: string; error: MessageReason | MediaReason } & Conversation)[],
): Promise<Ended> {
  const { deliveries, changed: left } = await changeMessages(
    db,
    `changed as (
       update messages m set status = 'failed', error = g.error
       from jsonb_to_recordset(?::jsonb) as g(id uuid, error text)
       where m.id = any (?::uuid[]) and m.id = g.id and ${IS_QUEUED}
       returning ${CHANGED}, 'queued' as status_before
     )`,
    [toJson(failures), failures.map(({ id }) => id)],
  )
  return { requeued: await requeueHeads(db, failures), deliveries, left }
}
