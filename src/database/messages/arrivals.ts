import type { Database } from '../connection.js'
import { toJson } from '../text.js'

/**
 * A text that has arrived in a session. The table is called `smpp_inbound`: kind smpp was the first that has sessions.
 */
export interface ArrivalRecord {
  id: string
  digest: Buffer
  sessionId: string
  /** The open sessions of this process, whose answers it confirms itself. */
  openSessionIds: readonly string[]
  /** A session of ours that confirmed nothing for so long may be over for the SMSC. */
  silentMs: number
}

/** A carrier brings again what was not answered at once, or in its next sessions; not a day later. */
const FORGOTTEN_MS = 3_600_000

/** The fields that `take_smpp_arrivals` reads. */
export function arrivalFields({ id, digest, sessionId, openSessionIds, silentMs }: ArrivalRecord): object {
  return {
    arrival_id: id,
    digest: digest.toString('hex'),
    session_id: sessionId,
    open_session_ids: openSessionIds,
    silent_ms: silentMs,
    forgotten_ms: FORGOTTEN_MS,
  }
}

/**
 * Under a lock until the end of the transaction: two arrivals of one text are told apart from two texts.
 *
 * @returns the arrival that this one repeats; undefined: it is new
 */
export async function takeArrival(db: Database, arrival: ArrivalRecord): Promise<string | undefined> {
  const { rows } = await db.raw<{ rows: { earlier: string | null }[] }>(
    'select earlier_id as earlier from take_smpp_arrivals(?::jsonb)',
    [toJson([{ n: 0, ...arrivalFields(arrival) }])],
  )
  return rows[0]?.earlier ?? undefined
}

/** The carrier has read their answers: the same again would be another message. */
export async function confirmArrivals(db: Database, ids: readonly string[]): Promise<void> {
  await db.raw('delete from smpp_inbound where id = any (?::uuid[])', [[...ids]])
}

export async function deleteOldArrivals(db: Database): Promise<number> {
  return db('smpp_inbound')
    .where('created_at', '<', db.raw(`clock_timestamp() - ? * interval '1 ms'`, [FORGOTTEN_MS]))
    .delete()
}
