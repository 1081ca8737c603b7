import type { EventType } from '../../event-types.js'
import type { Database } from '../connection.js'
import { HAS_CONTENT } from '../people/forgotten.js'
import { columnsOf, internal, type Row } from '../../shape.js'

const FIELDS = {
  id: internal<string>('id'),
  userId: internal<string>('user_id'),
  /** null if it is not about a line, but a notification to its user. Then it has no numbers either. */
  lineId: internal<string | null>('line_id'),
  /** null if it is not about a message. */
  messageId: internal<string | null>('message_id'),
  type: internal<EventType>('type'),
  payload: internal<string>('payload'),
  fromNumber: internal<string | null>('from_number'),
  toNumber: internal<string | null>('to_number'),
}

export type Event = Row<typeof FIELDS>

const COLUMNS = columnsOf(FIELDS)

export async function findEvent(db: Database, id: string): Promise<Event | undefined> {
  return db('events').where({ id }).first<Event | undefined>(db.raw(COLUMNS))
}

/**
 * Finds the newest event for any endpoint of the line, the application or the account, except those of people who were
 * forgotten; undefined if there was none.
 */
export async function findLatestEvent(
  db: Database,
  { userId, lineId, applicationId }: { userId: string; lineId: string | null; applicationId: string | null },
): Promise<Event | undefined> {
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
  return db('events').whereIn('id', latest).first<Event | undefined>(db.raw(COLUMNS))
}

export interface EventOfMessage {
  id: string
  type: EventType
  createdAt: Date
}

/**
 * The events about a message, oldest first: for a received one, those for its text and for each of its media; otherwise
 * those for endpoints that opted in.
 */
export async function listEventsOfMessage(
  db: Database,
  userId: string,
  messageId: string,
): Promise<EventOfMessage[]> {
  return db('events')
    .where({ message_id: messageId, user_id: userId })
    .orderBy('id')
    .select<EventOfMessage[]>({ id: 'id', type: 'type', createdAt: 'created_at' })
}
