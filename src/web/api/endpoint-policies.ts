import * as yup from 'yup'
import { RETRY_SCHEDULES, SHAPES, SIGNATURE_KINDS } from '../../database/endpoints/policy.js'
import { MAX_TEMPLATE_LENGTH } from '../../domain/endpoints/deliveries/template.js'
import { changePolicy, getPolicy, previewPolicy } from '../../domain/endpoints/policies.js'
import { DEFAULT_RETRY_WORDS } from '../../domain/endpoints/deliveries/retry-schedule.js'
import {
  CONTENT_TYPE,
  MAX_RETRIES,
  MAX_TIMEOUT_SECONDS,
  MAX_WAIT_SECONDS,
} from '../../domain/endpoints/policy-fields.js'
import { UNASKED_EVENT_TYPES } from '../../event-types.js'
import {
  answers,
  describe,
  flag,
  listOf,
  maybe,
  maybeMoment,
  object,
  oneOf,
  schemaOf,
  text,
  url,
  type Schema,
} from '../openapi/parts.js'
import { callerOf } from './endpoints.js'
import { fieldsOf, operationsOf } from './operation.js'

/** `policy-fields.ts` of the domain reads them. */
const FIELDS: Record<string, Schema> = {
  retrySchedule: describe(
    {
      anyOf: [
        oneOf(...RETRY_SCHEDULES),
        {
          type: 'array',
          items: { type: 'integer', minimum: 1, maximum: MAX_WAIT_SECONDS },
          maxItems: MAX_RETRIES,
        },
      ],
    },
    `When failed events are retried. \`default\`: ${DEFAULT_RETRY_WORDS}. \`short\`: 5 within 15 minutes. ` +
      '`long`: 17 within about a week. Or a list of the delays between attempts, in seconds. An empty list means no retries.',
  ),
  retryOnTimeout: describe(flag, 'If false, an event whose request timed out is not retried automatically.'),
  timeoutSeconds: describe(
    { type: ['integer', 'null'], minimum: 1, maximum: MAX_TIMEOUT_SECONDS },
    "How long the endpoint can take to respond. Null uses this installation's limit.",
  ),
  requestsAtOnce: describe(
    { type: ['integer', 'null'], minimum: 1, maximum: 1000 },
    "The maximum number of simultaneous requests, up to the installation's `ENDPOINT_MAX_IN_FLIGHT` (100 by default). Null adapts to the endpoint.",
  ),
  ordered: describe(
    flag,
    'If true, an event waits until the previous one from the same number has been delivered or abandoned. It does not delay ' +
      'events from other numbers. It applies to new events.',
  ),
  declinedEvents: describe(
    listOf(oneOf(...UNASKED_EVENT_TYPES)),
    'Message events that the endpoint does not get. Other events are sent only if `optInEvents` lists them.',
  ),
  shape: describe(
    oneOf(...SHAPES),
    'The format of the request. `linehook`: the six fields. `cloudevents`: CloudEvents 1.0 in structured mode; `cloudevents-binary`: in ' +
      'binary mode. `slack`, `discord`: text for a Slack or Discord incoming webhook. `ifttt`: `value1` is the sender, `value2` ' +
      'the payload, `value3` the receiver. `template`: the output of `template`.',
  ),
  template: describe(
    { type: ['string', 'null'], maxLength: MAX_TEMPLATE_LENGTH },
    'A [Liquid](https://shopify.github.io/liquid/) template with the six fields, `id` and `time`, such as ' +
      '`{"text": {{ payload | json }}}`. Rendering can take up to half a second.',
  ),
  templateContentType: describe(
    { type: 'string', maxLength: 100, pattern: CONTENT_TYPE.source, examples: ['application/json'] },
    "The Content-Type of the template's output. JSON output is validated.",
  ),
  signature: describe(
    oneOf(...SIGNATURE_KINDS),
    'The signature scheme of Standard Webhooks. `v1`: HMAC-SHA256 with the signing secret. `v1a`: Ed25519, verified with the key at `publicKeyUrl`. ' +
      'For 24 hours after a change, both are sent.',
  ),
}

export const policySchemas = {
  EndpointPolicy: object({
    ...FIELDS,
    bothSignaturesUntil: describe(maybeMoment, 'Both kinds of signatures are sent until then.'),
    publicKeyUrl: describe(url, 'The public keys for `v1a` signatures.'),
    headerNames: describe(listOf(text), 'The names of your custom headers. Their values are not shown.'),
  }),
}

const HEADERS: Schema = {
  type: 'object',
  additionalProperties: { type: ['string', 'null'], minLength: 1, maxLength: 1000 },
  description:
    'Headers to add to each request or to replace. Null removes a header. They are stored encrypted.',
}

const operation = operationsOf('Endpoints')
const path = '/v1/endpoints/{endpointId}/policy'
const policy = answers('The policy.', schemaOf('EndpointPolicy'))

const described = (schema: Schema) => yup.mixed().nullable().meta({ schema })
const given = Object.fromEntries(
  Object.entries(FIELDS).map(([name, schema]) => [name, described(maybe(schema))]),
)

export const policyOperations = [
  operation({
    operationId: 'getEndpointPolicy',
    at: `get ${path}`,
    may: 'reads lines',
    summary: "Get an endpoint's policy",
    description: 'Changing the URL does not affect the policy.',
    answer: policy,
    act: ({ context, ctx, id }) => getPolicy(context, callerOf(ctx), id),
  }),
  operation({
    operationId: 'changeEndpointPolicy',
    at: `patch ${path}`,
    may: 'changes lines',
    summary: "Change an endpoint's policy",
    description:
      'Give at least one field (RFC 7396): omitted fields stay unchanged, and null restores the default. It applies from the ' +
      'next attempt on.',
    body: yup.object({ ...given, headers: described(HEADERS) }),
    needsField: true,
    answer: policy,
    refusals: [409],
    act: ({ context, ctx, id }) => changePolicy(context, callerOf(ctx), id, fieldsOf(ctx)),
  }),
  operation({
    operationId: 'previewEndpointPolicy',
    at: `post ${path}/preview`,
    may: 'changes lines',
    summary: 'Preview the last event with changed settings',
    description: 'Nothing is saved or sent.',
    body: yup.object(given),
    answer: answers(
      'The body.',
      object({
        contentType: text,
        body: text,
        isSample: describe(flag, 'Whether an example event was used because there is no event yet.'),
      }),
    ),
    act: async ({ context, ctx, id }) => {
      const { contentType, body, isSample } = await previewPolicy(context, callerOf(ctx), id, fieldsOf(ctx))
      return { contentType, body, isSample }
    },
  }),
]
