import type { Database } from '../connection.js'
import { toJson } from '../text.js'
import type { MessageType } from './reading.js'

/** @returns false when this carrier has brought the message before */
export async function claimCarrierMessageId(
  db: Database,
  carrier: string,
  carrierMessageId: string,
  messageId: string,
): Promise<boolean> {
  const inserted = await db('carrier_message_ids')
    .insert({ carrier, carrier_message_id: carrierMessageId, message_id: messageId })
    .onConflict()
    .ignore()
    .returning('message_id')
  return inserted.length > 0
}

/** Which message has the id; undefined: none, or not yet. */
export async function findByCarrierMessageId(
  db: Database,
  carrier: string,
  carrierMessageId: string,
): Promise<string | undefined> {
  const row = await db('carrier_message_ids')
    .where({ carrier, carrier_message_id: carrierMessageId })
    .first<{ id: string } | undefined>({ id: 'message_id' })
  return row?.id
}

export interface ReceivedMessage {
  id: string
  userId: string
  lineId: string
  fromNumber: string
  toNumber: string
  text: string | null
  mediaUrl: string | null
  type: MessageType
  carrierMessageId: string
}

export async function insertReceivedMessage(db: Database, message: ReceivedMessage): Promise<void> {
  await db('messages').insert({
    id: message.id,
    user_id: message.userId,
    line_id: message.lineId,
    direction: 'inbound',
    source: 'carrier',
    from_number: message.fromNumber,
    to_number: message.toNumber,
    text: message.text,
    media_url: message.mediaUrl,
    type: message.type,
    status: 'received',
    carrier_message_id: message.carrierMessageId,
  })
}

/**
 * Notes that a number has written to a line: its window starts anew, and what it asked for about being written
 * to is kept. `optOut` undefined leaves that as it is.
 */
export async function noteContact(
  db: Database,
  contact: { lineId: string; number: string; optOut: boolean | undefined },
): Promise<void> {
  const now = db.raw('clock_timestamp()')
  const optedOut = contact.optOut === undefined ? {} : { opted_out_at: contact.optOut ? now : null }
  await db('line_contacts')
    .insert({ line_id: contact.lineId, number: contact.number, window_cleared_at: now, ...optedOut })
    .onConflict(['line_id', 'number'])
    .merge({ window_cleared_at: now, ...optedOut })
}

export interface Receipt {
  carrier: string
  carrierMessageId: string
  /** Our own id of the message, if the carrier hands it back: it finds a message whose worker died mid-call. */
  messageId?: string
  status: 'sent' | 'delivered' | 'failed'
  error?: string
  /** The carrier's own, such as Twilio's `30003`. */
  carrierCode?: string
}

/**
 * Carriers' reports on sent messages. Only forward: a message that is over stays as it is, so that reports may
 * come twice and in any order. An `unknown` message becomes known by it.
 *
 * @returns the ids of the messages that changed
 */
export async function applyReceipts(db: Database, receipts: readonly Receipt[]): Promise<string[]> {
  const { rows } = await db.raw<{ rows: { id: string }[] }>(
    `with found as (
       select coalesce(c.message_id, g."messageId") as id, g.status, g.error
       from jsonb_to_recordset(?::jsonb) as g(carrier text, "carrierMessageId" text, "messageId" uuid, status text, error text)
       left join lateral (select message_id from carrier_message_ids
         where carrier = g.carrier and carrier_message_id = g."carrierMessageId" limit 1) c on true
     )
     update messages m set status = f.status, error = f.error, receipt_at = clock_timestamp()
     from found f
     where m.id = any (array(select id from found)) and m.id = f.id
       and m.direction = 'outbound' and m.status in ('sending', 'sent', 'unknown')
     returning m.id`,
    [toJson(receipts)],
  )
  return rows.map(({ id }) => id)
}
