import type { Database } from '../connection.js'

export interface KnownCall {
  userId: string
  lineId: string
  fromNumber: string
  /** The time in the event's payload. */
  calledAt: string
}

/**
 * True if no event is needed for a missed call: the user has blocked the caller, or had an event about it since then.
 *
 * @param sinceId the lowest id of a delivery that may be about it
 */
export async function isCallSettled(
  trx: Database,
  { userId, lineId, fromNumber, calledAt }: KnownCall,
  sinceId: string,
): Promise<boolean> {
  const { rows } = await trx.raw<{ rows: [{ isSettled: boolean }] }>(
    `select exists (
       select from contacts c where c.number = :fromNumber and c.user_id = :userId and c.blocked_at is not null
     ) or exists (
       select from deliveries d join events e on e.id = d.event_id
       where d.line_id = :lineId and d.type = 'missedCall' and d.id >= :sinceId
         and e.from_number = :fromNumber and e.payload = :calledAt
     ) as "isSettled"`,
    { userId, lineId, fromNumber, calledAt, sinceId },
  )
  return rows[0].isSettled
}
