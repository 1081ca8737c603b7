import type { Database } from '../connection.js'
import { toJson } from '../text.js'

/**
 * A text that arrived in a session. The table is called `smpp_inbound`, because smpp was the first kind with
 * sessions.
 */
export interface ArrivalRecord {
  id: string
  digest: Buffer
  sessionId: string
  /** The open sessions of this process, which confirms their answers itself. */
  openSessionIds: readonly string[]
  /** A session of ours that has confirmed nothing for this long may be over for the SMSC. */
  silentMs: number
  /** After this time nothing is a repeat of it. */
  rememberedMs: number
}

/** The longest `rememberedMs` that a kind has. */
const FORGOTTEN_MS = 7 * 86_400_000

export function arrivalFields({
  id,
  digest,
  sessionId,
  openSessionIds,
  silentMs,
  rememberedMs,
}: ArrivalRecord): object {
  return {
    arrival_id: id,
    digest: digest.toString('hex'),
    session_id: sessionId,
    open_session_ids: openSessionIds,
    silent_ms: silentMs,
    forgotten_ms: rememberedMs,
  }
}

/**
 * Takes a lock until the end of the transaction, so that two arrivals of one text are distinguished from two texts.
 *
 * @returns the arrival that this one repeats, or undefined if it is new
 */
export async function takeArrival(db: Database, arrival: ArrivalRecord): Promise<string | undefined> {
  const { rows } = await db.raw<{ rows: { earlier: string | null }[] }>(
    'select earlier_id as earlier from take_smpp_arrivals(?::jsonb)',
    [toJson([{ n: 0, ...arrivalFields(arrival) }])],
  )
  return rows[0]?.earlier ?? undefined
}

/** Records that the carrier has read their answers: the same text again would be another message. */
export async function confirmArrivals(db: Database, ids: readonly string[]): Promise<void> {
  await db.raw('delete from smpp_inbound where id = any (?::uuid[])', [[...ids]])
}

export async function deleteOldArrivals(db: Database): Promise<number> {
  return db('smpp_inbound')
    .where('created_at', '<', db.raw(`clock_timestamp() - ? * interval '1 ms'`, [FORGOTTEN_MS]))
    .delete()
}
