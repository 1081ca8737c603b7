import type { Database } from './connection.js'

export interface SimulatedMessage {
  carrierMessageId: string
  messageId: string
  fromNumber: string
  toNumber: string
  text: string | null
  mediaUrl: string | null
}

export async function insertSimulatedMessages(
  db: Database,
  messages: readonly SimulatedMessage[],
): Promise<void> {
  await db('simulator_outbox').insert(
    messages.map((message) => ({
      carrier_message_id: message.carrierMessageId,
      message_id: message.messageId,
      from_number: message.fromNumber,
      to_number: message.toNumber,
      text: message.text,
      media_url: message.mediaUrl,
    })),
  )
}

/** What the simulator took, newest first. */
export async function listSimulatedMessages(
  db: Database,
  toNumber: string | undefined,
  limit: number,
): Promise<(SimulatedMessage & { takenAt: Date })[]> {
  return db('simulator_outbox')
    .modify((query) => {
      if (toNumber !== undefined) void query.where({ to_number: toNumber })
    })
    .select<(SimulatedMessage & { takenAt: Date })[]>({
      carrierMessageId: 'carrier_message_id',
      messageId: 'message_id',
      fromNumber: 'from_number',
      toNumber: 'to_number',
      text: 'text',
      mediaUrl: 'media_url',
      takenAt: 'taken_at',
    })
    .orderBy('carrier_message_id', 'desc')
    .limit(limit)
}

/** The oldest messages without a receipt, marked as having one. In a transaction with the receipt's effect. */
export async function takeDueReceipts(
  trx: Database,
  limit: number,
): Promise<{ carrierMessageId: string; messageId: string }[]> {
  const { rows } = await trx.raw<{ rows: { carrierMessageId: string; messageId: string }[] }>(
    `update simulator_outbox set receipt_sent_at = now() where carrier_message_id in (
       select carrier_message_id from simulator_outbox where receipt_sent_at is null
       order by carrier_message_id limit ? for update skip locked)
     returning carrier_message_id as "carrierMessageId", message_id as "messageId"`,
    [limit],
  )
  return rows
}
