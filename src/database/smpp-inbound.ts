import type { Database } from './connection.js'

export interface Arrival {
  id: string
  digest: Buffer
  sessionId: string
  /** Of this process, which sees to it that what they answer is confirmed. */
  openSessionIds: readonly string[]
}

/** An SMSC brings again what was not answered at once, or in its next sessions; not a day later. */
const FORGOTTEN_MS = 3_600_000

/**
 * Under a lock until the end of the transaction: two arrivals of one `deliver_sm` are told apart from two messages.
 *
 * @param silentMs after which a session of ours that confirmed nothing may be over for the SMSC
 * @returns the arrival that this one repeats; undefined: it is new
 */
export async function takeArrival(
  db: Database,
  { id, digest, sessionId, openSessionIds }: Arrival,
  silentMs: number,
): Promise<string | undefined> {
  const { rows } = await db.raw<{ rows: { earlier: string | null }[] }>(
    'select take_smpp_inbound(?, ?, ?, ?::uuid[], ?, ?) as earlier',
    [id, digest, sessionId, [...openSessionIds], silentMs, FORGOTTEN_MS],
  )
  return rows[0]?.earlier ?? undefined
}

/** The SMSC has read their answers: the same again would be another message. */
export async function confirmArrivals(db: Database, ids: readonly string[]): Promise<void> {
  await db.raw('delete from smpp_inbound where id = any (?::uuid[])', [[...ids]])
}

export async function deleteOldArrivals(db: Database): Promise<number> {
  return db('smpp_inbound')
    .where('created_at', '<', db.raw(`clock_timestamp() - ? * interval '1 ms'`, [FORGOTTEN_MS]))
    .delete()
}
