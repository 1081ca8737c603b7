import { oneOf, orNull, text, url, uuid, type JsonSchema } from './shape.js'

/** What of an event its sentence is made of. */
interface Told {
  payload: string
  /** Who is at the other end. */
  fromNumber: string
  /** The line's. */
  toNumber: string
}

interface EventTypeRow {
  /** What people read, as a heading. */
  label: string
  /** The type of the message that it tells of, when that was received. */
  messageType?: 'text' | 'media' | 'voicemail'
  /** Behind "It is sent when". */
  when: string
  /**
   * `all`: every endpoint of the line and of its applications, unless its policy declines the type. `asking`: only those that
   * name it in `optInEvents`, because receivers answer 400 to a type that they do not know. `asking applications`: the same,
   * and a line's own endpoints cannot ask.
   */
  recipients: 'all' | 'asking' | 'asking applications'
  /** What the payload is, beyond being a text. */
  payload: JsonSchema
  /** What the payload is, in words. */
  payloadWords: string
  /** A payload that examples show and test events have. */
  example: string
  /** The event for people who read it in a chat. */
  sentence: (event: Told) => string
}

/**
 * Every type of event. The types of the code, the JSON Schemas, the catalogue, the console's words, what an endpoint may ask
 * for and decline, the test events and the tables of `docs/http.md` come from here.
 */
export const EVENT_TYPES = {
  inboundText: {
    label: 'Text',
    messageType: 'text',
    when: 'somebody sends a text',
    recipients: 'all',
    payload: text.schema,
    payloadWords: 'the text',
    example: 'A test event from Linehook',
    sentence: ({ fromNumber, toNumber, payload }) => `${fromNumber} to ${toNumber}: ${payload}`,
  },
  inboundMedia: {
    label: 'Picture or file',
    messageType: 'media',
    when: 'somebody sends a picture or another file, and our copy of it is ready',
    recipients: 'all',
    payload: url.schema,
    payloadWords: 'the URL of our copy',
    example: 'https://example.com/photo.png',
    sentence: ({ fromNumber, toNumber, payload }) => `${fromNumber} sent a file to ${toNumber}: ${payload}`,
  },
  voiceMail: {
    label: 'Voicemail',
    messageType: 'voicemail',
    when: 'somebody leaves a voicemail, and our copy of it is ready',
    recipients: 'all',
    payload: url.schema,
    payloadWords: 'the URL of our copy',
    example: 'https://example.com/recording.mp3',
    sentence: ({ fromNumber, toNumber, payload }) =>
      `${fromNumber} left a voicemail for ${toNumber}: ${payload}`,
  },
  messageStatus: {
    label: 'Message status',
    when: 'a message is sent, is delivered, fails or becomes unknown',
    recipients: 'asking',
    payload: {
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema: {
        type: 'object',
        properties: {
          messageId: uuid.schema,
          status: oneOf('sent', 'delivered', 'failed', 'unknown').schema,
          error: orNull(text).schema,
          carrierCode: orNull(text).schema,
          clientRef: orNull(text).schema,
        },
        required: ['messageId', 'status', 'error', 'carrierCode', 'clientRef'],
      },
    },
    payloadWords: 'JSON with `messageId`, `status`, `error`, `carrierCode` and `clientRef`',
    example: JSON.stringify({
      messageId: '01a1f8a0-0000-7000-8000-000000000001',
      status: 'delivered',
      error: null,
      carrierCode: null,
      clientRef: null,
    }),
    sentence: ({ fromNumber, toNumber, payload }) =>
      `The message from ${toNumber} to ${fromNumber} is ${statusOf(payload)}.`,
  },
  optOut: {
    label: 'Opt-out',
    when: 'somebody opts out, or back in, by STOP or START',
    recipients: 'asking',
    payload: oneOf('optedOut', 'optedIn').schema,
    payloadWords: '`optedOut` or `optedIn`',
    example: 'optedOut',
    sentence: ({ fromNumber, toNumber, payload }) =>
      `${fromNumber} ${payload === 'optedOut' ? 'wants no more messages' : 'wants messages again'} from ${toNumber}.`,
  },
  lineDisconnected: {
    label: 'Line disconnected',
    when: 'a user takes a line away from the application',
    recipients: 'asking applications',
    payload: { const: '' },
    payloadWords: 'empty; both numbers are the line’s',
    example: '',
    sentence: ({ toNumber }) => `${toNumber} is no longer connected.`,
  },
} as const satisfies Record<string, EventTypeRow>

function statusOf(payload: string): string {
  const { status, error } = JSON.parse(payload) as { status: string; error: string | null }
  return error === null ? status : `${status} (${error})`
}

type Table = typeof EVENT_TYPES
type For<Recipients> = {
  [Type in keyof Table]: Table[Type]['recipients'] extends Recipients ? Type : never
}[keyof Table]

export type EventType = keyof Table
/** The types that every endpoint gets. Each tells of a message that was received. */
export type MessageEventType = For<'all'>
export type OptInEventType = For<'asking' | 'asking applications'>
/** What a line's own endpoint may ask for. */
export type LineOptInEventType = For<'asking'>

export const ALL_EVENT_TYPES = Object.keys(EVENT_TYPES) as EventType[]
export const MESSAGE_EVENT_TYPES = typesFor('all')
export const LINE_OPT_IN_EVENT_TYPES = typesFor('asking')
export const OPT_IN_EVENT_TYPES = typesFor('asking', 'asking applications')

function typesFor<const Recipients extends EventTypeRow['recipients']>(
  ...recipients: Recipients[]
): readonly For<Recipients>[] {
  const isWanted = (type: EventType): type is For<Recipients> =>
    recipients.some((each) => each === EVENT_TYPES[type].recipients)
  return ALL_EVENT_TYPES.filter(isWanted)
}

export function isOptIn(type: EventType): type is OptInEventType {
  return EVENT_TYPES[type].recipients !== 'all'
}
