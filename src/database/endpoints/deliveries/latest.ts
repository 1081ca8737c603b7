import type { EventType } from '../../../event-types.js'
import type { Database } from '../../connection.js'
import { HAS_CONTENT } from '../../people/forgotten.js'

export interface EventToDeliver {
  eventId: string
  type: EventType
  payload: string
  /** null, like the other number and the line, if it is not about a line. */
  fromNumber: string | null
  toNumber: string | null
  userId: string
  lineId: string | null
}

/**
 * Finds the newest event for any endpoint of the line, the application or the account, except those of people who were
 * forgotten; undefined if there was none.
 */
export async function findLatestEvent(
  db: Database,
  { userId, lineId, applicationId }: { userId: string; lineId: string | null; applicationId: string | null },
): Promise<EventToDeliver | undefined> {
  const latest = db('deliveries')
    .where(
      applicationId === null
        ? { line_id: lineId, application_id: null, ...(lineId === null ? { user_id: userId } : {}) }
        : { application_id: applicationId },
    )
    .whereRaw(HAS_CONTENT)
    .orderBy('id', 'desc')
    .limit(1)
    .select('event_id')
  return db('events').whereIn('id', latest).first<EventToDeliver | undefined>({
    eventId: 'id',
    type: 'type',
    payload: 'payload',
    fromNumber: 'from_number',
    toNumber: 'to_number',
    userId: 'user_id',
    lineId: 'line_id',
  })
}
