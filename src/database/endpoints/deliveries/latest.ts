import type { EventType } from '../../../event-types.js'
import type { Database } from '../../connection.js'

export interface EventToDeliver {
  eventId: string
  type: EventType
  payload: string
  fromNumber: string
  toNumber: string
  userId: string
  lineId: string
}

/** The newest event for any endpoint of the line, or of the application. undefined: there was none. */
export async function findLatestEvent(
  db: Database,
  { lineId, applicationId }: { lineId: string | null; applicationId: string | null },
): Promise<EventToDeliver | undefined> {
  const latest = db('deliveries')
    .where(lineId === null ? { application_id: applicationId } : { line_id: lineId, application_id: null })
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
