import type { EventType, MessageEventType } from '../database/events.js'
import type { MessageType } from '../database/messages/message.js'
import type { Vocabulary } from '../vocabulary.js'

export interface EventContent {
  type: EventType
  payload: string
  fromNumber: string
  toNumber: string
  userId: string
  lineId: string
}

/**
 * The body that an endpoint gets: always exactly these six fields. The same event gives the same bytes on every attempt.
 */
export function eventBody({ lineId, ...rest }: EventContent, vocabulary: Vocabulary): string {
  const { type, payload, fromNumber, toNumber, userId } = rest
  return JSON.stringify({ type, payload, fromNumber, toNumber, userId, [vocabulary.idField]: lineId })
}

/** What kind of message an event tells of, if it tells of one. */
export const MESSAGE_TYPE_OF = {
  inboundText: 'text',
  inboundMedia: 'media',
  voiceMail: 'voicemail',
} as const satisfies Record<MessageEventType, MessageType>

export const EVENT_TYPE_OF = {
  text: 'inboundText',
  media: 'inboundMedia',
  voicemail: 'voiceMail',
} as const satisfies Record<MessageType, MessageEventType>
