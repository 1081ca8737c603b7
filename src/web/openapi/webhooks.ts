import { DEFAULT_RETRY_WORDS } from '../../domain/endpoints/deliveries/retry-schedule.js'
import * as yup from 'yup'
import { ACCOUNT_EVENT_TYPES, EVENT_TYPES, LINE_EVENT_TYPES } from '../../event-types.js'
import { MAX_KEY_LENGTH, MAX_TEXT_LENGTH } from '../../domain/messages/submit/refusals.js'
import { optionFields } from '../api/send-options.js'
import { fieldSchemas } from './json-schema.js'
import {
  body,
  describe,
  givenNumber,
  id,
  IGNORES_UNKNOWN,
  inHeader,
  inPath,
  inQuery,
  moment,
  number,
  object,
  oneOf,
  schemaOf,
  text,
  type Operation,
  type Paths,
} from './parts.js'

const REFUSALS: Record<string, string> = {
  400: 'The body or one of its fields is invalid; `error` says which.',
  403: 'The token is wrong, the number has opted out or is not allowed, or a limit is reached.',
  404: "There is no such webhook: `URL doesn't exist`.",
  409: 'The first request with this `Idempotency-Key` is still in progress.',
  413: 'The body is over 64 KiB.',
  415: 'The `Content-Encoding` is not supported; `Accept-Encoding` lists what is.',
  422: 'This `Idempotency-Key` was used with another body.',
  429: 'A daily or monthly cap is reached. If RATE_LIMIT_STATUS is 429, rate limits also return 429 instead of 403.',
  431: 'There are more than 100 header fields.',
  500: 'Internal error. It has been logged.',
  503:
    'With `Retry-After`, the message was not accepted: try again after that many seconds. Without it, it is unknown whether ' +
    'it was accepted. Repeat the request only with the same `Idempotency-Key`.',
}

const optionSchemas = Object.fromEntries(fieldSchemas(yup.object(optionFields)))

export const webhookSchemas = {
  WebhookMessage: object({
    intent: { const: 'message' },
    data: object(
      {
        toNumber: givenNumber,
        text: { type: 'string', maxLength: MAX_TEXT_LENGTH, pattern: '\\S' },
        ...optionSchemas,
      },
      Object.keys(optionSchemas),
    ),
  }),
  WebhookSuccess: object({ success: { const: true } }),
  WebhookRefusal: object({ success: { const: false }, error: text }),
  Event: object({
    type: describe(
      oneOf(...LINE_EVENT_TYPES),
      'The first three go to every endpoint, the others only to endpoints that ask for them (`optInEvents`).',
    ),
    payload: describe(
      text,
      `Depends on the type. ${LINE_EVENT_TYPES.map((type) => `\`${type}\`: ${EVENT_TYPES[type].payloadWords}.`).join(' ')}`,
    ),
    fromNumber: describe(number, 'The external number in E.164 format, or a short code or a name.'),
    toNumber: describe(number, `The {line}'s number.`),
    userId: id,
    lineId: id,
  }),
  OperationalEvent: object({
    type: oneOf(...ACCOUNT_EVENT_TYPES),
    timestamp: describe(moment, 'When it happened.'),
    data: describe(
      object({ title: text, text, userId: { type: ['string', 'null'], format: 'uuid' } }),
      'The other fields depend on the type; see `/schemas/{type}.json`.',
    ),
  }),
}

/** The URL has two shapes: `/webhooks/lineId/…` and `/webhooks/line/…`. */
export function webhookPaths(): Paths {
  const limits = {
    'RateLimit-Policy': { description: 'The limits (IETF httpapi draft).', schema: text },
    RateLimit: { description: 'The remaining quota.', schema: text },
  }
  const refusals = Object.entries(REFUSALS).map(([status, description]) => [
    status,
    { description, content: { 'application/json': { schema: schemaOf('WebhookRefusal') } } },
  ])
  const send = (operationId: string): Operation => ({
    operationId,
    tags: ['Incoming webhook'],
    summary: `Send a text from the {line}`,
    description: 'The body is parsed as JSON, regardless of its Content-Type.',
    security: [],
    parameters: [
      inQuery('token', text, "The webhook's secret."),
      inHeader(
        'Idempotency-Key',
        { type: 'string', minLength: 1, maxLength: MAX_KEY_LENGTH },
        'A second request with the same key and body within 24 h sends nothing and gets the same response.',
      ),
    ],
    ...IGNORES_UNKNOWN,
    requestBody: body(schemaOf('WebhookMessage')),
    responses: {
      200: {
        description: 'The message is stored, and a worker sends it.',
        headers: {
          'Message-Id': { description: 'The ID of the message.', required: true, schema: id },
          ...limits,
        },
        content: { 'application/json': { schema: schemaOf('WebhookSuccess') } },
      },
      ...(Object.fromEntries(refusals) as Record<string, unknown>),
    },
  })
  const parameters = [inPath('lineId', `The ID of the {line}.`)]
  return {
    '/webhooks/lineId/{lineId}': { parameters, post: send('sendText') },
    '/webhooks/line/{lineId}': { parameters, post: send(`sendTextFrom{Line}`) },
  }
}

/** Describes the requests that we POST to endpoints. */
export function outgoingWebhooks(): Paths {
  const posted = (operationId: string, summary: string, schema: string): Paths[string] => ({
    post: {
      operationId,
      tags: ['Outgoing webhook'],
      summary,
      description:
        'Signed according to [Standard Webhooks](https://www.standardwebhooks.com). It is delivered at least once, and ' +
        "`webhook-id` is the same for every attempt. The endpoint's policy can choose another body (`shape`).",
      security: [],
      parameters: [
        inHeader('webhook-id', id, 'The ID of the event.', true),
        inHeader('webhook-timestamp', { type: 'string', pattern: '^\\d+$' }, 'Seconds since 1970.', true),
        inHeader(
          'webhook-signature',
          text,
          '`v1,` followed by base64. There are two signatures during a rotation.',
          true,
        ),
      ],
      requestBody: body(schemaOf(schema)),
      responses: {
        '2XX': { description: 'The event was accepted.' },
        410: { description: 'The endpoint is disabled, and its events are held.' },
        default: {
          description: `The event is retried, first after 5 s, by default with ${DEFAULT_RETRY_WORDS}.`,
        },
      },
    },
  })
  return {
    event: posted('event', `A {line} received something`, 'Event'),
    operationalEvent: posted(
      'operationalEvent',
      'A notification to an operational webhook',
      'OperationalEvent',
    ),
  }
}
