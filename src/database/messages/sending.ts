import type { Database } from '../connection.js'
import { MEDIA_OF_MESSAGE, type MediaStatus } from '../media/reading.js'
import type { NewDelivery } from '../deliveries/creating.js'
import { toJson } from '../text.js'
import { CHANGED, changeMessages } from './announcing.js'
import { isQueued, requeueHeads, type Conversation, type Requeued } from './turns.js'

export const MESSAGE_STATUSES = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'failed',
  'unknown',
  'received',
] as const

export type MessageStatus = (typeof MESSAGE_STATUSES)[number]

/** A message as the sending worker sees it, with what its line says about sending. */
export interface MessageToSend {
  id: string
  lineId: string
  account: {
    id: string
    name: string
    kind: string
    version: number
    messagesPerSecond: number | null
    messagesPerSecondPerLine: number | null
  }
  lineStatus: 'active' | 'disabled'
  numberLimit: number
  lineLimit: number
  fromNumber: string
  toNumber: string
  text: string | null
  /** Of a message with media: our copy. null for one without; `hasMedia` tells. */
  media: { status: MediaStatus; token: string; failure: string | null } | null
  hasMedia: boolean
  status: MessageStatus
  attemptCount: number
  ageMs: number
  /** Not of the message that confirms the opt-out. */
  isOptedOut: boolean
  /** How long the line and the number are paused; 0: they are not. */
  pausedMs: number
  /** An earlier message to the same number is not over yet. */
  isBehind: boolean
}

const earlierUnfinished = `exists (
  select 1 from messages p where p.line_id = m.line_id and p.to_number = m.to_number
    and p.status in ('queued', 'sending') and p.id < m.id)`

export async function loadMessagesToSend(
  db: Database,
  ids: readonly string[],
): Promise<(MessageToSend | undefined)[]> {
  const { rows } = await db.raw<{ rows: MessageToSend[] }>(
    `select m.id, m.line_id as "lineId", l.status as "lineStatus",
            json_build_object('id', a.id, 'name', a.name, 'kind', a.kind, 'version', a.version,
              'messagesPerSecond', a.messages_per_second,
              'messagesPerSecondPerLine', a.messages_per_second_per_line) as account,
            l.messages_per_number_per_minute as "numberLimit", l.messages_per_minute as "lineLimit",
            m.from_number as "fromNumber", m.to_number as "toNumber", m.text, m.status,
            m.media_url is not null as "hasMedia", ${MEDIA_OF_MESSAGE} as media,
            m.attempt_count as "attemptCount",
            (extract(epoch from clock_timestamp() - m.created_at) * 1000)::float8 as "ageMs",
            c.opted_out_at is not null and m.id is distinct from c.opt_out_answer_id as "isOptedOut",
            greatest(0, ceil(extract(epoch from c.paused_until - clock_timestamp()) * 1000))::float8 as "pausedMs", ${earlierUnfinished} as "isBehind"
     from messages m
     join lines l on l.id = m.line_id
     join carrier_accounts a on a.name = l.carrier
     left join line_contacts c on c.line_id = m.line_id and c.number = m.to_number
     where m.id = any (?::uuid[])`,
    [[...ids]],
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => byId.get(id))
}

/** A claim of a message for one attempt. */
export interface Claim {
  /** Which attempt of the message this is, from 1; the carrier gets it. */
  attempt: number
  /** Which claim this is; `settleMessages` wants it back. Unlike the attempt's number it is never given twice. */
  claim: number
}

/**
 * The fence before a carrier call: queued → sending by compare-and-set, so that of all jobs for a message one
 * gets it, and never before the earlier messages to its number are over.
 *
 * @returns undefined for who did not get it
 */
export async function claimMessages(
  db: Database,
  ids: readonly string[],
  leaseMs: number,
): Promise<(Claim | undefined)[]> {
  const { rows } = await db.raw<{ rows: ({ id: string } & Claim)[] }>(
    `update messages m
     set status = 'sending', claimed_at = clock_timestamp(), attempt_count = m.attempt_count + 1, claim_count = m.claim_count + 1,
         lease_until = now() + make_interval(secs => ?)
     where m.id = any (?::uuid[]) and ${isQueued} and not ${earlierUnfinished}
     returning m.id, m.attempt_count as attempt, m.claim_count as claim`,
    [leaseMs / 1000, [...ids]],
  )
  // Two jobs of one message may stand in one batch: the row is claimed once, and the first of them has it.
  const byId = new Map(rows.map(({ id, ...claim }) => [id, claim]))
  return ids.map((id) => {
    const claim = byId.get(id)
    byId.delete(id)
    return claim
  })
}

export interface Settlement extends Conversation {
  id: string
  claim: number
  status: 'sent' | 'failed' | 'unknown' | 'queued'
  error?: string
  carrier?: string
  carrierMessageId?: string
  /** The carrier's own code beside the error. */
  carrierCode?: string
  /** For `queued`: when to try again. */
  dueInMs?: number
  /** Throttled: the carrier was not really asked, so the attempt does not count. */
  uncounted?: boolean
}

/** What the end of messages brings about; the caller enqueues it. */
export interface Settled {
  requeued: Requeued[]
  deliveries: NewDelivery[]
}

/**
 * Writes how claimed messages ended, and hands each number to its next message: that one gets a new job
 * generation, which the caller enqueues. A result that comes after the lease is over still counts (unknown →
 * sent), but not over a later claim, nor over a receipt that was faster: of that one only the carrier's id is new.
 * Doing it twice does no harm.
 */
export async function settleMessages(db: Database, settlements: readonly Settlement[]): Promise<Settled> {
  // The ids beside the record set: joined with that alone, the planner reads the whole table for a handful of rows.
  const ids = settlements.map(({ id }) => id)
  const { deliveries } = await changeMessages(
    db,
    `given as (
       select * from jsonb_to_recordset(?::jsonb) as x(id uuid, claim integer, status text, error text, carrier text,
         "carrierMessageId" text, "carrierCode" text, "dueInMs" integer, uncounted boolean)
     ), before as (
       -- In one order, as everybody who locks several.
       select m.id, m.status, m.status in ('sending', 'unknown') as is_open from messages m
       where m.id = any (?::uuid[]) order by m.id for no key update
     ), ids as (
       insert into carrier_message_ids (carrier, carrier_message_id, message_id)
       select g.carrier, g."carrierMessageId", g.id from given g where g."carrierMessageId" is not null
       on conflict do nothing
     ), changed as (
       update messages m
       set status = case when b.is_open then g.status else m.status end,
           error = case when b.is_open then g.error else m.error end,
           carrier_code = case when b.is_open then g."carrierCode" else m.carrier_code end,
           carrier_message_id = coalesce(g."carrierMessageId", m.carrier_message_id),
           lease_until = null,
           sent_at = case when g.status = 'sent' then coalesce(m.sent_at, clock_timestamp()) else m.sent_at end,
           due_at = clock_timestamp() + make_interval(secs => coalesce(g."dueInMs", 0) / 1000.0),
           attempt_count = m.attempt_count - case when g.uncounted and b.is_open then 1 else 0 end
       from given g join before b on b.id = g.id
       where m.id = any (?::uuid[]) and m.id = g.id and m.claim_count = g.claim
         and (b.is_open or b.status in ('sent', 'delivered', 'failed'))
       returning ${CHANGED}, b.status as status_before
     )`,
    [toJson(settlements), ids, ids],
  )
  const over = settlements.filter(({ status }) => status !== 'queued')
  return { requeued: await requeueHeads(db, over), deliveries }
}

/** Ends queued messages that may not be sent (opted out, expired, line disabled). */
export async function failQueuedMessages(
  db: Database,
  failures: readonly ({ id: string; error: string } & Conversation)[],
): Promise<Settled> {
  const { deliveries } = await changeMessages(
    db,
    `changed as (
       update messages m set status = 'failed', error = g.error
       from jsonb_to_recordset(?::jsonb) as g(id uuid, error text)
       where m.id = any (?::uuid[]) and m.id = g.id and ${isQueued}
       returning ${CHANGED}, 'queued' as status_before
     )`,
    [toJson(failures), failures.map(({ id }) => id)],
  )
  return { requeued: await requeueHeads(db, failures), deliveries }
}

/** Says when a waiting message is next due, so that the sweeper leaves it alone until then. */
export async function postponeMessages(
  db: Database,
  waits: readonly { id: string; ms: number }[],
): Promise<void> {
  await db.raw(
    `update messages m set due_at = clock_timestamp() + make_interval(secs => g.ms / 1000.0)
     from jsonb_to_recordset(?::jsonb) as g(id uuid, ms integer)
     where m.id = any (?::uuid[]) and m.id = g.id and ${isQueued}`,
    [JSON.stringify(waits), waits.map(({ id }) => id)],
  )
}
