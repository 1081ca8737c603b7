import type { MessageEventType } from '../../database/endpoints/events.js'
import type { MessageType } from '../../database/messages/message.js'

/** What kind of message an event tells of, if it tells of one. */
export const MESSAGE_TYPE_OF = {
  inboundText: 'text',
  inboundMedia: 'media',
  voiceMail: 'voicemail',
} as const satisfies Record<MessageEventType, MessageType>
