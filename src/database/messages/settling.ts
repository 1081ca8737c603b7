import type { CarrierWords, MediaReason, MessageReason } from '../../states.js'
import type { Database } from '../connection.js'
import type { NewDelivery } from '../deliveries/creating.js'
import { runNamed } from '../named-statement.js'
import { toJson } from '../text.js'
import { CHANGED, changeMessages } from './announcing.js'
import {
  isQueued,
  renewLocked,
  requeueHeads,
  type Conversation,
  type Head,
  type Requeued,
} from './requeueing.js'

export interface Settlement {
  id: string
  /** The id of the claim that it ends. */
  claim: string
  status: 'sent' | 'failed' | 'unknown' | 'queued'
  error?: MessageReason | CarrierWords
  carrier?: string
  carrierMessageId?: string
  /** The carrier's own code beside the error. */
  carrierCode?: string
  /** For `queued`: when to try again. */
  dueInMs?: number
  /** Throttled: the carrier was not really asked, so the attempt does not count. */
  uncounted?: boolean
}

/** What comes of the end of messages; the caller enqueues it. */
export interface Settled {
  requeued: Requeued[]
  deliveries: NewDelivery[]
}

/** Writes how claimed messages ended, and hands each number to its next message (`settle_messages`). */
export async function settleMessages(db: Database, settlements: readonly Settlement[]): Promise<Settled> {
  const rows = await runNamed<{ requeued: Head[]; deliveries: NewDelivery[] }>(
    db,
    'settle_messages',
    'select requeued, deliveries from settle_messages(?::jsonb)',
    [toJson(settlements)],
  )
  const [{ requeued, deliveries } = { requeued: [], deliveries: [] }] = rows
  return { requeued: await renewLocked(db, requeued), deliveries }
}

/** Ends queued messages that may not be sent (opted out, expired, line disabled). */
export async function failQueuedMessages(
  db: Database,
  failures: readonly ({ id: string; error: MessageReason | MediaReason } & Conversation)[],
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
