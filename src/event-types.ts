import { CARRIER_REASON_NAMES } from './carrier-reasons.js'
import { count, moment, oneOf, orNull, text, url, uuid, type JsonSchema, type Kind } from './shape.js'

/** The parts of an event that appear in its sentence. */
interface Told {
  payload: string
  /** The other party's number; null if the event is not about a line. */
  fromNumber: string | null
  /** The line's number. */
  toNumber: string | null
}

const EXAMPLE_USER = '01a1f8a0-0000-7000-8000-000000000002'
const EXAMPLE_LINE = '01a1f8a0-0000-7000-8000-000000000003'

const OF_ENDPOINT = {
  data: {
    userId: uuid,
    endpointId: uuid,
    /** It contains only the host, because the rest of the URL may be a secret of its owner. */
    host: text,
    lineId: orNull(uuid),
    lineName: orNull(text),
    applicationId: orNull(uuid),
    applicationName: orNull(text),
    failureCount: count,
    /** How long every attempt has failed; null if it is not failing. */
    failingForMs: orNull(count),
    /** The reason why the last request failed, as attempts state it; null if it did not. */
    lastFailure: orNull(text),
    /** The reason why it is disabled; null if it is not. */
    reason: orNull(oneOf('gone', 'failing')),
  },
  example: {
    userId: EXAMPLE_USER,
    endpointId: '01a1f8a0-0000-7000-8000-000000000004',
    host: 'example.com',
    lineId: EXAMPLE_LINE,
    lineName: 'Front desk',
    applicationId: null,
    applicationName: null,
    failureCount: 4,
    failingForMs: 120_000,
    lastFailure: 'http_500',
    reason: null,
  },
}

const OF_CARRIER = {
  /** The state has one or two words, such as `not bound`. */
  data: { accountId: uuid, name: text, state: text },
  example: { accountId: '01a1f8a0-0000-7000-8000-000000000005', name: 'twilio', state: 'unreachable' },
}

const OF_PHONE = {
  data: {
    accountId: uuid,
    name: text,
    /** The number of the account's phones that are away. */
    awayCount: count,
    /** The last contact of the phone that has been silent for longest, as ISO 8601. */
    lastContactAt: orNull(text),
  },
  example: {
    ...{ accountId: '01a1f8a0-0000-7000-8000-000000000005', name: 'phone', awayCount: 1 },
    lastContactAt: '2026-01-01T12:00:00.000Z',
  },
}

const OF_QUEUE = {
  data: { queue: text, why: text },
  example: { queue: 'send-message', why: 'No worker is running.' },
}

/** The values of rows with these kinds. */
type Values<Data> = { [Name in keyof Data]: Data[Name] extends Kind<infer Value> ? Value : never }

/** A notification to a user, or to an operator, which is also in the console's list of notifications. */
function ofAccount<Data extends Record<string, Kind<unknown>>>(row: {
  label: string
  when: string
  who: 'owner and operators' | 'operators'
  /** The values in its words. */
  data: Data
  example: Values<Data>
}) {
  const fields: Record<string, Kind<unknown>> = { title: text, text, userId: orNull(uuid), ...row.data }
  return {
    ...row,
    recipients: 'account' as const,
    payload: {
      type: 'string',
      contentMediaType: 'application/json',
      contentSchema: {
        type: 'object',
        properties: Object.fromEntries(Object.entries(fields).map(([name, { schema }]) => [name, schema])),
        required: Object.keys(fields),
      },
    },
    payloadWords: 'JSON',
    sentence: ({ payload }: Told) => {
      const { title, text } = JSON.parse(payload) as { title: string; text: string }
      return `${title}. ${text}`
    },
  }
}

interface EventTypeRow {
  /** The heading that people read. */
  label: string
  /** The type of the message, for an event about a received one. */
  messageType?: 'text' | 'media' | 'voicemail'
  /** The text that follows "Sent when". */
  when: string
  /**
   * `all`: every endpoint of the line and of its applications, unless its policy declines the type. `asking`: only
   * those that name it in `optInEvents`, because receivers answer 400 to a type that they do not know. `asking
   * applications`: the same, and a line's own endpoints cannot ask. `account`: it is not about a line, and goes to
   * the operational webhooks of its user, unless their policy declines it.
   */
  recipients: 'all' | 'asking' | 'asking applications' | 'account'
  /** The people who get a type of `account`. */
  who?: 'owner and operators' | 'operators'
  /** The payload's schema, if it is more than a text. */
  payload: JsonSchema
  /** A description of the payload in words. */
  payloadWords: string
  /** The payload of examples and test events; for an `account` type, the values in its words. */
  example: string | Readonly<Record<string, unknown>>
  /** The sentence about the event for people who read it in a chat. */
  sentence: (event: Told) => string
}

/**
 * Every type of event. The types of the code, the JSON Schemas, the catalogue, the console's words, what an endpoint
 * may ask for and decline, the test events and the tables of `docs/http.md` come from here.
 */
export const EVENT_TYPES = {
  inboundText: {
    label: 'Text',
    messageType: 'text',
    when: 'someone sends a text',
    recipients: 'all',
    payload: text.schema,
    payloadWords: 'the text',
    example: 'This is a test event',
    sentence: ({ fromNumber, toNumber, payload }) => `${fromNumber} to ${toNumber}: ${payload}`,
  },
  inboundMedia: {
    label: 'Picture or file',
    messageType: 'media',
    when: 'someone sends a picture or another file, once our copy is ready',
    recipients: 'all',
    payload: url.schema,
    payloadWords: 'the URL of our copy',
    example: 'https://example.com/photo.png',
    sentence: ({ fromNumber, toNumber, payload }) => `${fromNumber} sent a file to ${toNumber}: ${payload}`,
  },
  voiceMail: {
    label: 'Voicemail',
    messageType: 'voicemail',
    when: 'someone leaves a voicemail, once our copy is ready',
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
          carrierReason: orNull(oneOf(...CARRIER_REASON_NAMES)).schema,
          clientRef: orNull(text).schema,
          price: {
            ...orNull(text).schema,
            description: 'The cost reported by the carrier so far, as a decimal. It can arrive later.',
          },
          currency: orNull(text).schema,
        },
        required: [
          ...[
            'messageId',
            'status',
            'error',
            'carrierCode',
            'carrierReason',
            'clientRef',
            'price',
            'currency',
          ],
        ],
      },
    },
    payloadWords:
      'JSON with `messageId`, `status`, `error`, `carrierCode`, `carrierReason`, `clientRef`, `price` and `currency`',
    example: JSON.stringify({
      messageId: '01a1f8a0-0000-7000-8000-000000000001',
      status: 'delivered',
      error: null,
      carrierCode: null,
      carrierReason: null,
      clientRef: null,
      price: '0.0079',
      currency: 'USD',
    }),
    sentence: ({ fromNumber, toNumber, payload }) =>
      `The message from ${toNumber} to ${fromNumber} is ${statusOf(payload)}.`,
  },
  optOut: {
    label: 'Opt-out',
    when: 'someone opts out with STOP or back in with START',
    recipients: 'asking',
    payload: oneOf('optedOut', 'optedIn').schema,
    payloadWords: '`optedOut` or `optedIn`',
    example: 'optedOut',
    sentence: ({ fromNumber, toNumber, payload }) =>
      `${fromNumber} ${payload === 'optedOut' ? 'opted out of messages' : 'opted back in to messages'} from ${toNumber}.`,
  },
  missedCall: {
    label: 'Missed call',
    when: 'someone calls a line whose phone reports missed calls (httpSMS)',
    recipients: 'asking',
    payload: moment.schema,
    payloadWords: 'the time of the call in ISO 8601',
    example: '2026-01-01T12:00:00.000Z',
    sentence: ({ fromNumber, toNumber }) => `${fromNumber} called ${toNumber}, but nobody answered.`,
  },
  lineDisconnected: {
    label: 'Line disconnected',
    when: 'a user disconnects a line from the application',
    recipients: 'asking applications',
    payload: { const: '' },
    payloadWords: 'empty; both numbers are the same',
    example: '',
    sentence: ({ toNumber }) => `${toNumber} is no longer connected.`,
  },
  'endpoint.failing': ofAccount({
    label: 'Endpoint failing',
    when: 'an endpoint has failed 4 times in a row, and again after an hour and after 4 days of failures, a day before it is disabled',
    who: 'owner and operators',
    ...OF_ENDPOINT,
  }),
  'endpoint.disabled': ofAccount({
    label: 'Endpoint disabled',
    when: 'an endpoint is disabled because it failed for 5 days or returned 410',
    who: 'owner and operators',
    ...OF_ENDPOINT,
  }),
  'endpoint.recovered': ofAccount({
    label: 'Endpoint recovered',
    when: 'an endpoint that was reported as failing or disabled accepts events again',
    who: 'owner and operators',
    ...OF_ENDPOINT,
  }),
  'messages.unknown': ofAccount({
    label: 'Unknown messages',
    when: 'messages have been unknown for two minutes, so it is unclear whether they were sent',
    who: 'owner and operators',
    data: { userId: uuid, count },
    example: { userId: EXAMPLE_USER, count: 2 },
  }),
  'cap.near': ofAccount({
    label: 'Daily segment cap nearly used up',
    when: '80% of a daily segment cap is used; sent once a day, and again when the cap changes',
    who: 'owner and operators',
    data: {
      userId: uuid,
      /** null if the cap is on all lines of the user together. */
      lineId: orNull(uuid),
      lineName: orNull(text),
      segmentsPerDay: count,
      /** The use when the event was made. */
      used: count,
    },
    example: { userId: EXAMPLE_USER, lineId: null, lineName: null, segmentsPerDay: 1000, used: 800 },
  }),
  'monthly_cap.near': ofAccount({
    label: 'Monthly cap nearly spent',
    when: '80% of a monthly cap is spent; sent once a month, and again when the cap changes',
    who: 'owner and operators',
    data: {
      userId: uuid,
      /** null if the cap is on all lines of the user together. */
      lineId: orNull(uuid),
      lineName: orNull(text),
      /** Exact, in whole units of the currency. */
      amount: text,
      currency: text,
      /** The amount when the event was made. */
      spent: text,
    },
    example: {
      ...{ userId: EXAMPLE_USER, lineId: null, lineName: null },
      ...{ amount: '50.00', currency: 'USD', spent: '40.12' },
    },
  }),
  'country.paused': ofAccount({
    label: 'Country paused',
    when: 'a user suddenly sends far more messages to a country than usual, and Linehook starts refusing them',
    who: 'owner and operators',
    data: {
      userId: uuid,
      /** An ISO 3166 code. */
      country: text,
      /** The numbers accepted in the hour of the pause, and the most in any hour of the month before. */
      accepted: count,
      usual: count,
    },
    example: { userId: EXAMPLE_USER, country: 'GB', accepted: 500, usual: 20 },
  }),
  'carrier.down': ofAccount({
    label: 'Carrier down',
    when: 'a carrier account has not worked for a minute: its sessions are not bound, it is unreachable, or its responses are unclear',
    who: 'operators',
    ...OF_CARRIER,
  }),
  'carrier.recovered': ofAccount({
    label: 'Carrier recovered',
    when: 'a carrier account that was down is working again',
    who: 'operators',
    ...OF_CARRIER,
    example: { ...OF_CARRIER.example, state: 'healthy' },
  }),
  'phone.away': ofAccount({
    label: 'Phone offline',
    when: 'a phone used for sending has not been in contact for 10 minutes, or for 40 if its server checks it only every 15 minutes',
    who: 'operators',
    ...OF_PHONE,
  }),
  'phone.back': ofAccount({
    label: 'Phone back online',
    when: 'a phone that was offline is back in contact',
    who: 'operators',
    ...OF_PHONE,
  }),
  'queue.stuck': ofAccount({
    label: 'Queue stuck',
    when: 'a queue has been stuck for a minute: jobs are due, but none leave it',
    who: 'operators',
    ...OF_QUEUE,
  }),
  'queue.recovered': ofAccount({
    label: 'Queue recovered',
    when: 'a queue that was stuck is moving again',
    who: 'operators',
    ...OF_QUEUE,
    example: { ...OF_QUEUE.example, why: 'The queue is empty.' },
  }),
  'second_factor.removal_asked': ofAccount({
    label: 'Removal of a second factor',
    when: "an operator requests the removal of a user's lost second factor, which another operator has to confirm",
    who: 'owner and operators',
    data: { userId: uuid, email: text, reason: text },
    example: { userId: EXAMPLE_USER, email: 'ada@example.com', reason: 'The phone is lost.' },
  }),
  'second_factor.removed': ofAccount({
    label: 'Second factor removed',
    when: "operators have removed a user's second factor in the console or on the command line",
    who: 'owner and operators',
    data: { userId: uuid, email: text },
    example: { userId: EXAMPLE_USER, email: 'ada@example.com' },
  }),
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
/** The types that every endpoint of a line gets. Each is about a received message. */
export type MessageEventType = For<'all'>
/** The types of notifications to users and operators. */
export type AccountEventType = For<'account'>
/** The values in the words of a notification. */
export type NoticeDetails<Type extends AccountEventType> = Values<Table[Type]['data']>
export type LineEventType = Exclude<EventType, AccountEventType>
export type OptInEventType = For<'asking' | 'asking applications'>

export const ALL_EVENT_TYPES = Object.keys(EVENT_TYPES) as EventType[]
export const MESSAGE_EVENT_TYPES = typesFor('all')
export const LINE_OPT_IN_EVENT_TYPES = typesFor('asking')
export const OPT_IN_EVENT_TYPES = typesFor('asking', 'asking applications')
export const LINE_EVENT_TYPES = typesFor('all', 'asking', 'asking applications')
export const ACCOUNT_EVENT_TYPES = typesFor('account')
/** The types that an endpoint gets without asking, and so may decline. */
export const UNASKED_EVENT_TYPES = typesFor('all', 'account')

function typesFor<const Recipients extends EventTypeRow['recipients']>(
  ...recipients: Recipients[]
): readonly For<Recipients>[] {
  const isWanted = (type: EventType): type is For<Recipients> =>
    recipients.some((each) => each === EVENT_TYPES[type].recipients)
  return ALL_EVENT_TYPES.filter(isWanted)
}

export function isOptIn(type: EventType): type is OptInEventType {
  return EVENT_TYPES[type].recipients.startsWith('asking')
}

export function isOfAccount(type: EventType): type is AccountEventType {
  return EVENT_TYPES[type].recipients === 'account'
}
