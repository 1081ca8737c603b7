import { LANGUAGE_NAMES } from '../../kit/text/national-tables.js'
import { LATIN_1 } from '../../kit/text/segments.js'
import {
  count,
  internal,
  listOf,
  made,
  moment,
  named,
  number,
  oneOf,
  orNull,
  shown,
  text,
  uuid,
  type Kind,
  type Row,
} from '../../shape.js'
import { CARRIER_REASON_NAMES, type CarrierCodeMeaning } from '../../carrier-reasons.js'
import { listReasons, MESSAGE_STATUSES, MESSAGE_STEPS } from '../../states.js'
import { MEDIA_OF_MESSAGE, type MessageMedia } from '../media/reading.js'

export const DIRECTIONS = ['outbound', 'inbound'] as const
export const MESSAGE_TYPES = ['text', 'media', 'voicemail'] as const
const MESSAGE_SOURCES = ['webhook', 'application', 'api', 'console', 'carrier', 'service'] as const

export type Direction = (typeof DIRECTIONS)[number]
export type MessageSource = (typeof MESSAGE_SOURCES)[number]
export type MessageType = (typeof MESSAGE_TYPES)[number]

export const ENCODING = oneOf('GSM-7', 'UCS-2')
export const SEGMENT_COUNT: Kind<number> = { schema: { type: 'integer', minimum: 1 } }

/** A number in JSON would not be exact. */
export const DECIMAL: Kind<string> = {
  schema: { type: 'string', pattern: '^\\d+(\\.\\d+)?$', examples: ['0.0079'] },
}

const TEXTS: Kind<Record<string, string>> = {
  schema: { type: 'object', additionalProperties: { type: 'string' } },
}

const MEDIA_LIST: Kind<MessageMedia[]> = listOf(named<MessageMedia>('Media'))

const CODE_MEANING: Kind<CarrierCodeMeaning> = {
  schema: {
    type: 'object',
    properties: { reason: { type: 'string', enum: CARRIER_REASON_NAMES }, text: text.schema },
    required: ['reason', 'text'],
  },
}

const ofAccount = (column: string) => `(
  select a.${column} from carrier_accounts a
  where a.name = coalesce(m.carrier, (select l.carrier from lines l where l.id = m.line_id)))`

/** Only failures have a code, so for other messages the account is not looked up. */
const CODE_KIND = `case when m.carrier_code is not null then ${ofAccount('kind')} end`

/** For ASCII, as most texts are, the account is not looked up. */
const LANGUAGES = `case when octet_length(m.text) > length(m.text) then ${ofAccount('languages')} end`

/** A message as its owner sees it; the columns are those of `messages m`. */
export const MESSAGE_FIELDS = {
  id: shown('m.id', uuid),
  userId: internal('m.user_id', uuid),
  lineId: shown('m.line_id', uuid),
  direction: shown('m.direction', oneOf(...DIRECTIONS)),
  source: shown(
    'm.source',
    oneOf(...MESSAGE_SOURCES),
    'How it was created: `carrier` if it was received, `service` if it is a reply to STOP, START or HELP.',
  ),
  applicationId: shown('m.application_id', orNull(uuid), 'The application that sent it.'),
  type: shown('m.type', oneOf(...MESSAGE_TYPES)),
  fromNumber: shown('m.from_number', number),
  toNumber: shown('m.to_number', number),
  text: shown('m.text', orNull(text)),
  encoding: made(orNull(ENCODING), 'The encoding of the text. Null without a text.'),
  segmentCount: made(
    orNull(SEGMENT_COUNT),
    'The number of segments that are sent and charged for. Null without a text.',
  ),
  /** The national tables that the account it goes through may send it with. */
  languages: internal(LANGUAGES, orNull(listOf(oneOf(...LANGUAGE_NAMES, LATIN_1)))),
  /** The number that counts in caps and usage; null for a received message. */
  countedSegments: internal('m.segment_count', orNull(SEGMENT_COUNT)),
  carrierSegmentCount: shown(
    'm.carrier_segment_count',
    orNull(SEGMENT_COUNT),
    'The number of segments counted by the carrier. Null if it did not report one.',
  ),
  price: shown(
    'm.price::text',
    orNull(DECIMAL),
    'The exact cost reported by the carrier, in `currency`. It can arrive hours after the message was sent. Null if none was reported.',
  ),
  currency: shown('m.currency', orNull(text), 'ISO 4217, such as `USD`.'),
  mediaUrl: shown(
    'm.media_urls[1]',
    orNull(text),
    'The first of `mediaUrls`. Null if the message has no media.',
  ),
  mediaUrls: shown(
    `coalesce(m.media_urls, '{}')`,
    listOf(text),
    'The URLs in order. For a received message, these are the URLs of our copies, and each one appears once its copy is stored.',
  ),
  media: shown(MEDIA_OF_MESSAGE, MEDIA_LIST, 'Our copies, in the order of `mediaUrls`.'),
  status: shown(
    'm.status',
    oneOf(...MESSAGE_STATUSES),
    'Outbound: `scheduled` for later, then `queued → sending → sent → delivered`, or `failed`, or `unknown` if the carrier may have accepted it.',
  ),
  error: shown(
    'm.error',
    orNull(text),
    `Why it failed, is unknown or has not been sent yet: ${listReasons(MESSAGE_STEPS)}, \`media_…\`, or the carrier's words.`,
  ),
  carrierCode: shown(
    'm.carrier_code',
    orNull(text),
    "The carrier's own error code, such as Twilio's `30003`.",
  ),
  carrierCodeMeaning: made(
    orNull(CODE_MEANING),
    'What that code means and what to do. Null if there is no code or it is not known.',
  ),
  /** What the code meant when it arrived. */
  carrierReason: internal('m.carrier_reason', orNull(oneOf(...CARRIER_REASON_NAMES))),
  /** The kind of the account that gave the code. */
  carrierKind: internal(CODE_KIND, orNull(text)),
  attemptCount: shown('m.attempt_count', count),
  carrierMessageId: shown('m.carrier_message_id', orNull(text)),
  carrierAccount: shown(
    'm.carrier',
    orNull(text),
    'The carrier account it was handed to. Null if there is none yet or the message was received.',
  ),
  passedOver: shown(
    'm.passed_over',
    orNull(TEXTS),
    'The carrier accounts that come before this one and did not accept the message, each with the reason. An account with `account_paused`, or with `account_avoided` because it had just failed, was not tried.',
  ),
  againOf: shown('m.again_of', orNull(uuid), 'The message that this one resends.'),
  clientRef: shown('m.client_ref', orNull(text), "The sender's own reference."),
  sendAt: shown(
    'm.send_at',
    orNull(moment),
    'When to send it. Until then it is `scheduled`. Null means immediately.',
  ),
  expiresAt: shown(
    'm.expires_at',
    orNull(moment),
    'If it has not been handed to the carrier by then, it fails as `expired`.',
  ),
  carrierOptions: shown(
    'm.carrier_options',
    orNull(TEXTS),
    'Extra parameters for the carrier, under names that the carrier account recognizes.',
  ),
  createdAt: shown('m.created_at', moment, 'When it was accepted or received.'),
  /** For a queued message, the time when it is processed next. */
  dueAt: internal('m.due_at', moment),
  jobGeneration: internal('m.job_generation', count),
  /** The time when a worker last took it to the carrier. */
  claimedAt: internal('m.claimed_at', orNull(moment)),
  sentAt: shown('m.sent_at', orNull(moment)),
  receiptAt: shown('m.receipt_at', orNull(moment), "When the carrier's receipt arrived."),
}

export type Message = Row<typeof MESSAGE_FIELDS>

/** Returns the other party's number, in E.164 format if it is a phone's. */
export function contactNumberOf({
  direction,
  fromNumber,
  toNumber,
}: Pick<Message, 'direction' | 'fromNumber' | 'toNumber'>): string {
  return direction === 'outbound' ? toNumber : fromNumber
}
