import { ALL_EVENT_TYPES } from '../../../event-types.js'
import {
  count,
  flag,
  integer,
  internal,
  moment,
  number,
  oneOf,
  orNull,
  shown,
  text,
  url,
  uuid,
  type Kind,
  type Row,
} from '../../../shape.js'
import { DELIVERY_STATUSES, DELIVERY_STEPS, listReasons } from '../../../states.js'
import { DISABLED_REASONS } from '../endpoints.js'
import { hasReceiver } from './receiver.js'

const eventType = oneOf(...ALL_EVENT_TYPES)

/** The fields that everyone who may see a delivery sees; the columns are those of `deliveries d`. */
const COMMON_FIELDS = {
  id: shown('d.id', uuid),
  lineId: shown('d.line_id', orNull(uuid), 'Null if the event is a notification that is not about a {line}.'),
  eventId: shown('d.event_id', uuid, 'The `webhook-id` header of every attempt.'),
  type: shown(
    'd.type',
    eventType,
    'An endpoint gets the first three, and any others listed in its `optInEvents`. `lineDisconnected` is for applications, and types with a dot are for operational webhooks.',
  ),
  status: shown(
    'd.status',
    oneOf(...DELIVERY_STATUSES),
    '`exhausted`: it is no longer retried; `lastFailure` says why. `held`: it waits for a person, because its endpoint or its {line} is disabled, or its media are missing.',
  ),
  attemptCount: shown('d.attempt_count', count),
  lastFailure: shown(
    'd.last_failure',
    orNull(text),
    `The name of the last failure: ${listReasons(DELIVERY_STEPS)}, \`media_…\`, or the result of the request, such as \`timeout\` or \`http_500\`.`,
  ),
  createdAt: shown('d.created_at', moment),
  dueAt: shown('d.due_at', moment, 'While it is pending, the time of the next attempt.'),
  isReplayed: shown(
    'd.task_id is not null',
    flag,
    'Whether it was replayed. Its attempts since then have the header `webhook-replay: true`.',
  ),
  deliveredAt: shown('d.delivered_at', orNull(moment)),
}

/**
 * A delivery as its owner sees it, with the contents of its event: the columns are also those of `events v`,
 * `endpoints e` and `applications a`.
 */
export const DELIVERY_FIELDS = {
  ...COMMON_FIELDS,
  messageId: shown(
    'v.message_id',
    orNull(uuid),
    'The message that the event is about, received or sent. Null if there is none.',
  ),
  jobGeneration: internal('d.job_generation', count),
  endpointId: shown(
    'd.endpoint_id',
    uuid,
    'The endpoint that gets it, which belongs to the {line} or to an application.',
  ),
  endpointPausedAt: internal('e.paused_at', orNull(moment)),
  endpointFailingSince: internal('e.failing_since', orNull(moment)),
  endpointDisabledAt: internal('e.disabled_at', orNull(moment)),
  endpointDisabledReason: internal('e.disabled_reason', orNull(oneOf(...DISABLED_REASONS))),
  applicationId: shown(
    'd.application_id',
    orNull(uuid),
    "The application that gets it. Null for the {line}'s own endpoints.",
  ),
  applicationName: internal('a.name', orNull(text)),
  url: shown(
    `case when e.user_id = d.user_id then e.url else substring(e.url from '^[^:]+://[^/\\?#]+') end`,
    url,
    "The URL it is sent to. For another user's application, only the origin.",
  ),
  /** True if the endpoint is another user's, whose answers are private. */
  isForeign: internal('e.user_id <> d.user_id', flag),
  /** False if it would end at once, because the application is disconnected or the endpoint deleted. */
  hasReceiver: internal(hasReceiver('d'), flag),
  fromNumber: shown('d.from_number', orNull(number)),
  toNumber: shown('v.to_number', orNull(number)),
}

export type Delivery = Row<typeof DELIVERY_FIELDS>

/** A delivery as the application's owner sees it: only its progress, without the contents from another user's line. */
export const APPLICATION_DELIVERY_FIELDS = COMMON_FIELDS

export type ApplicationDelivery = Row<typeof APPLICATION_DELIVERY_FIELDS>

const attemptNumber: Kind<number> = { schema: { type: 'integer', minimum: 1 } }

const headers: Kind<Record<string, string> | null> = {
  schema: { anyOf: [{ type: 'object', additionalProperties: { type: 'string' } }, { type: 'null' }] },
}

/** The columns are those of `delivery_attempts`. */
export const ATTEMPT_FIELDS = {
  id: internal('id', uuid),
  deliveryId: internal('delivery_id', uuid),
  attemptNumber: shown('attempt_number', attemptNumber),
  startedAt: shown('started_at', moment),
  durationMs: shown('duration_ms', count, 'The total time. The fields below break it down.'),
  dnsMs: shown(
    'dns_ms',
    orNull(count),
    'The DNS lookup. Like the next two, null if it did not happen or the connection was already open.',
  ),
  connectMs: shown('connect_ms', orNull(count)),
  tlsMs: shown('tls_ms', orNull(count)),
  firstByteMs: shown(
    'first_byte_ms',
    orNull(count),
    'The time from the request to the first byte of the response.',
  ),
  requestHeaders: shown(
    'request_headers',
    headers,
    'The headers that were sent, without connection headers or the values of your custom headers. Null if nothing was sent.',
  ),
  responseStatus: shown('response_status', orNull(integer)),
  responseHeaders: shown(
    'response_headers',
    headers,
    'The first 40 headers, up to 2,000 characters in total, without cookies or credentials.',
  ),
  responseExcerpt: shown('response_excerpt', orNull(text)),
  bodyFailure: shown(
    'body_failure',
    orNull(text),
    'What went wrong with the response body, by name. It does not affect the outcome: only the status counts. Null if nothing went wrong.',
  ),
  failure: shown('failure', orNull(text), 'The name of the failure. Null if it succeeded.'),
  nextAttemptAt: shown('next_attempt_at', orNull(moment)),
}

export type DeliveryAttempt = Row<typeof ATTEMPT_FIELDS>
