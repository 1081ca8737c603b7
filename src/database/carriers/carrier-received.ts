import type { Database } from '../connection.js'

/** Returns the numbers of an account's lines, and the times since which they are lines. */
export async function listNumbersAt(
  db: Database,
  carrier: string,
): Promise<{ number: string; createdAt: Date }[]> {
  return db('lines')
    .whereRaw('is_line_at(carrier, routes, ?)', [carrier])
    .orderBy('id')
    .select<{ number: string; createdAt: Date }[]>({ number: 'number', createdAt: 'created_at' })
}

/** Which of these the carrier has delivered already, by its ids. */
export async function findReceivedIds(
  db: Database,
  carrier: string,
  carrierMessageIds: readonly string[],
): Promise<Set<string>> {
  const ids = await db('carrier_message_ids')
    .where({ carrier, is_inbound: true })
    .whereRaw('carrier_message_id = any (?)', [[...carrierMessageIds]])
    .pluck<string[]>('carrier_message_id')
  return new Set(ids)
}
