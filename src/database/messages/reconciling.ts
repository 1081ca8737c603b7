import type { MessageReason } from '../../states.js'
import { transaction, type Database } from '../connection.js'
import { indexable } from '../text.js'

/** A message whose outcome at the carrier is unknown, with the account of its line. */
export interface UnknownRow {
  id: string
  fromNumber: string
  toNumber: string
  text: string | null
  claimedAt: Date
  account: { id: string; name: string; kind: string; version: number }
  /** No other attempt is planned after this. */
  isLastTime: boolean
}

/**
 * Takes messages about which the carrier has to be asked now, oldest first. They count as asked immediately, so that
 * only one of many processes asks. A message waits while its line is sending another one to the same number, because
 * the carrier's newest record may be about that one.
 *
 * @param afterSeconds the times to ask, counted from the moment the message was handed over; ascending
 */
export async function takeUnknownMessages(
  db: Database,
  afterSeconds: readonly number[],
  maxAgeSeconds: number,
  limit: number,
): Promise<UnknownRow[]> {
  return transaction(db, async (trx) => {
    const { rows } = await trx.raw<{ rows: (Omit<UnknownRow, 'isLastTime'> & { dueCount: number })[] }>(
      `select m.id, m.from_number as "fromNumber", m.to_number as "toNumber", m.text, m.claimed_at as "claimedAt",
              json_build_object('id', a.id, 'name', a.name, 'kind', a.kind, 'version', a.version) as account,
              due.count as "dueCount"
       from messages m
       join lines l on l.id = m.line_id
       join carrier_accounts a on a.name = coalesce(m.carrier, l.carrier)
       cross join lateral (select count(*)::integer from unnest(?::float8[]) as seconds
         where m.claimed_at + make_interval(secs => seconds) <= clock_timestamp()) due
       where m.status = 'unknown' and m.claimed_at > now() - make_interval(secs => ?)
         and due.count > m.carrier_asked_count
         and not exists (select 1 from messages s where s.line_id = m.line_id and s.to_number = m.to_number
           and s.status = 'sending')
       order by m.claimed_at limit ? for update of m skip locked`,
      [[...afterSeconds], maxAgeSeconds, limit],
    )
    if (rows.length === 0) return []
    await trx.raw(
      `update messages m set carrier_asked_count = g.count
       from jsonb_to_recordset(?::jsonb) as g(id uuid, count integer)
       where m.id = any (?::uuid[]) and m.id = g.id`,
      [JSON.stringify(rows.map(({ id, dueCount }) => ({ id, count: dueCount }))), rows.map(({ id }) => id)],
    )
    return rows.map(({ dueCount, ...row }) => ({ ...row, isLastTime: dueCount === afterSeconds.length }))
  })
}

/**
 * Records that a carrier's id belongs to an outbound message of ours, so that its reports find the message.
 *
 * @returns false if the id already belongs to another outbound message, or the message's line is not at this carrier
 * account
 */
export async function linkCarrierMessage(
  db: Database,
  link: { carrier: string; carrierMessageId: string; messageId: string },
): Promise<boolean> {
  const { carrier, messageId } = link
  const carrierMessageId = indexable(link.carrierMessageId)
  const { rows } = await db.raw<{ rows: { messageId: string }[] }>(
    `with linked as (
       insert into carrier_message_ids (carrier, carrier_message_id, message_id)
       select coalesce(m.carrier, l.carrier), ?, m.id from messages m join lines l on l.id = m.line_id
       where m.id = any (?::uuid[]) and m.direction = 'outbound' and coalesce(m.carrier, l.carrier) = ?
       on conflict do nothing
       returning message_id
     ), shown as (
       update messages m set carrier_message_id = coalesce(m.carrier_message_id, ?)
       from linked where m.id = any (?::uuid[]) and m.id = linked.message_id
     )
     select message_id as "messageId" from linked
     union all
     select message_id from carrier_message_ids where carrier = ? and carrier_message_id = ? and not is_inbound`,
    [carrierMessageId, [messageId], carrier, carrierMessageId, [messageId], carrier, carrierMessageId],
  )
  return rows[0]?.messageId === messageId
}

/** Records that the carrier was asked for the last time and does not know the message. It stays unknown. */
export async function noteNoRecord(db: Database, id: string, error: MessageReason): Promise<void> {
  await db.raw(`update messages set error = ? where id = any (?::uuid[]) and status = 'unknown'`, [
    error,
    [id],
  ])
}
