import type { Database } from '../../connection.js'
import type { EventType } from '../events.js'

export interface EventToDeliver {
  eventId: string
  type: EventType
  payload: string
  fromNumber: string
  toNumber: string
  userId: string
  lineId: string
}

/** The newest event for any of a line's own endpoints, or for an application's. undefined: there was none. */
export async function findLatestEvent(
  db: Database,
  { of, id }: { of: 'line' | 'application'; id: string },
): Promise<EventToDeliver | undefined> {
  const latest = db('deliveries')
    .where(of === 'line' ? { line_id: id, application_id: null } : { application_id: id })
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
