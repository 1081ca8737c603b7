import type { EventType } from '../../../database/endpoints/events.js'

/** When an event of a type comes, as the end of a sentence. */
export const WHEN: Record<EventType, string> = {
  inboundText: 'when somebody sends a text',
  inboundMedia: 'when somebody sends a picture or a file, and our copy of it is there',
  voiceMail: 'when somebody leaves a voicemail, and our copy of it is there',
  messageStatus: 'when a message is sent, arrives, fails or is unknown',
  optOut: 'when somebody texts STOP or START',
  lineDisconnected: 'when a user takes a line away',
}
