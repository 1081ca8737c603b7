import type { Database } from '../connection.js'
import type { NewDelivery } from '../deliveries/creating.js'
import { toJson } from '../text.js'
import { CHANGED, changeMessages } from './announcing.js'
import { isQueued, requeueHeads, type Conversation, type Requeued } from './turns.js'

export interface Settlement extends Conversation {
  id: string
  /** The id of the claim that it ends. */
  claim: string
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
 * SQL: a later message to the number was handed over after `m` was claimed. What is given back so late stays `unknown`:
 * it would come out of order.
 */
const isOvertaken = `(
  exists (select 1 from messages p where p.line_id = m.line_id and p.handed_over_at > m.claimed_at
    and p.to_number = m.to_number and p.position > m.position)
  or exists (select 1 from messages p where p.status = 'sending' and p.lease_until > '-infinity'
    and p.line_id = m.line_id and p.to_number = m.to_number and p.position > m.position))`

/**
 * Writes how claimed messages ended, and hands each number to its next message: that one gets a new job
 * generation, which the caller enqueues. A result that comes after the lease is over still counts (unknown →
 * sent), but not over a later claim, nor over a receipt that was faster: of that one only the carrier's id is new.
 * Doing it twice does no harm.
 */
export async function settleMessages(db: Database, settlements: readonly Settlement[]): Promise<Settled> {
  // The ids beside the record set: joined with that alone, the planner reads the whole table for a handful of rows.
  const ids = settlements.map(({ id }) => id)
  const isAnyGivenBack = settlements.some(({ status }) => status === 'queued')
  const { deliveries } = await changeMessages(
    db,
    `given as (
       select * from jsonb_to_recordset(?::jsonb) as x(id uuid, claim uuid, status text, error text, carrier text,
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
           -- Where the carrier may have seen it, it has by now.
           handed_over_at = case when not b.is_open then m.handed_over_at
             when g.status <> 'queued' then clock_timestamp() end,
           sent_at = case when g.status = 'sent' then coalesce(m.sent_at, clock_timestamp()) else m.sent_at end,
           due_at = clock_timestamp() + make_interval(secs => coalesce(g."dueInMs", 0) / 1000.0),
           not_before = clock_timestamp() + make_interval(secs => g."dueInMs" / 1000.0),
           attempt_count = m.attempt_count - case when g.uncounted and b.is_open then 1 else 0 end
       from given g join before b on b.id = g.id
       where m.id = any (?::uuid[]) and m.id = g.id and m.claim_id = g.claim
         and (b.is_open or b.status in ('sent', 'delivered', 'failed'))
         ${isAnyGivenBack ? `and not (g.status = 'queued' and b.status = 'unknown' and ${isOvertaken})` : ''}
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
