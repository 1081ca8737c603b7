import type { Database } from '../connection.js'
import { runNamed } from '../named-statement.js'
import { toJson } from '../text.js'
import { columnsOf, internal, type Row } from '../../shape.js'

const FIELDS = {
  carrierMessageId: internal<string>('carrier_message_id'),
  messageId: internal<string>('message_id'),
  fromNumber: internal<string>('from_number'),
  toNumber: internal<string>('to_number'),
  text: internal<string | null>('text'),
  mediaUrls: internal<string[]>('media_urls'),
}

export type SimulatedMessage = Row<typeof FIELDS>

export async function insertSimulatedMessages(
  db: Database,
  messages: readonly SimulatedMessage[],
): Promise<void> {
  await runNamed(db, 'take_simulated_messages', 'select take_simulated_messages(?::jsonb)', [
    toJson(messages),
  ])
}

/** Lists the messages that the simulator took, newest first. */
export async function listSimulatedMessages(
  db: Database,
  { toNumber, userId }: { toNumber?: string | undefined; userId?: string | undefined },
  limit: number,
): Promise<(SimulatedMessage & { takenAt: Date })[]> {
  return db('simulator_outbox')
    .modify((query) => {
      if (toNumber !== undefined) void query.where({ to_number: toNumber })
      if (userId !== undefined) {
        void query.whereIn('from_number', db('lines').where({ user_id: userId }).select('number'))
      }
    })
    .select<(SimulatedMessage & { takenAt: Date })[]>(db.raw(`${columnsOf(FIELDS)}, taken_at as "takenAt"`))
    .orderBy('carrier_message_id', 'desc')
    .limit(limit)
}

/**
 * Takes the oldest messages without a receipt and marks them as having one. It runs in a transaction with the receipts'
 * effect, for which the messages' rows are locked here. One that is just being settled is skipped until the next time,
 * because waiting for it with others locked could deadlock two processes.
 */
export async function takeDueReceipts(
  trx: Database,
  limit: number,
): Promise<{ carrierMessageId: string; messageId: string }[]> {
  const { rows } = await trx.raw<{ rows: { carrierMessageId: string; messageId: string }[] }>(
    `with due as (
       select carrier_message_id, message_id from simulator_outbox where receipt_sent_at is null
       order by carrier_message_id limit ? for update skip locked
     ), free as (
       select id from messages where id = any (array(select message_id from due)) for update skip locked
     )
     update simulator_outbox set receipt_sent_at = now()
     where carrier_message_id = any (array(select carrier_message_id from due))
       and (message_id = any (array(select id from free)) or not exists (select 1 from messages where id = message_id))
     returning carrier_message_id as "carrierMessageId", message_id as "messageId"`,
    [limit],
  )
  return rows
}
