import type { Database } from './connection.js'

export type EventType = 'inboundText' | 'inboundMedia' | 'voiceMail'

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
