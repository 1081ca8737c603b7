import type { Database } from './connection.js'

export const EVENT_TYPES = ['inboundText', 'inboundMedia', 'voiceMail'] as const

export type EventType = (typeof EVENT_TYPES)[number]

export interface Event {
  id: string
  userId: string
  lineId: string
  messageId: string | null
  type: EventType
  payload: string
  fromNumber: string
  toNumber: string
}

export async function insertEvent(db: Database, event: Event): Promise<void> {
  await db('events').insert({
    id: event.id,
    user_id: event.userId,
    line_id: event.lineId,
    message_id: event.messageId,
    type: event.type,
    payload: event.payload,
    from_number: event.fromNumber,
    to_number: event.toNumber,
  })
}

/** undefined: the message made no event, as those that a line sends. */
export async function findEventOfMessage(
  db: Database,
  userId: string,
  messageId: string,
): Promise<{ id: string; type: EventType; createdAt: Date } | undefined> {
  return db('events')
    .where({ message_id: messageId, user_id: userId })
    .first<{ id: string; type: EventType; createdAt: Date } | undefined>({
      id: 'id',
      type: 'type',
      createdAt: 'created_at',
    })
}
