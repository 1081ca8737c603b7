import type { EventType } from '../../database/endpoints/events.js'

/** What an event of each type may have as its payload: what examples show, and what a test event has. */
export const EXAMPLE_PAYLOADS: Record<EventType, string> = {
  inboundText: 'A test event from Linehook',
  inboundMedia: 'https://example.com/photo.png',
  voiceMail: 'https://example.com/recording.mp3',
  messageStatus: JSON.stringify({
    messageId: '01a1f8a0-0000-7000-8000-000000000001',
    status: 'delivered',
    error: null,
    carrierCode: null,
    clientRef: null,
  }),
  optOut: 'optedOut',
  lineDisconnected: '',
}
