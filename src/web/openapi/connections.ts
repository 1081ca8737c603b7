import { DISABLED_REASONS } from '../../database/endpoints.js'
import { LINE_OPT_IN_EVENT_TYPES } from '../../domain/opt-in-events.js'
import { TEST_EVENT_TYPES } from '../../domain/test-event.js'
import {
  answers,
  body,
  count,
  describe,
  flag,
  id,
  inPath,
  listOf,
  maybe,
  maybeGivenUrl,
  maybeMoment,
  maybeText,
  maybeUrl,
  moment,
  object,
  oneOf,
  pauseFields,
  schemaOf,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

const optInEvents = describe(
  listOf(oneOf(...LINE_OPT_IN_EVENT_TYPES)),
  'The events that the URL gets besides those of received messages.',
)

export function connectionSchemas({ vocabulary }: ProductNames): Record<string, Schema> {
  return {
    Connection: object({
      [vocabulary.idField]: id,
      enabled: flag,
      outgoingWebhookUrl: describe(maybeUrl, 'The URL to which events are sent.'),
      optInEvents,
      endpoint: describe(
        maybe(
          object({
            failingSince: describe(maybeMoment, 'Every attempt since this moment has failed.'),
            consecutiveFailureCount: count,
            disabledAt: describe(
              maybeMoment,
              'Events are held since this moment. Enable the connection to send events again.',
            ),
            disabledReason: describe(
              maybe(oneOf(...DISABLED_REASONS)),
              '`gone`: it answered 410. `failing`: every attempt of five days failed. `owner_disabled`: the account of its ' +
                'owner was disabled.',
            ),
            ...pauseFields('Since when no events are sent: they wait.'),
            previousSecretUntil: describe(
              maybeMoment,
              'Until this moment the previous signing secret signs too.',
            ),
          }),
        ),
        "The outgoing webhook URL's health; null without a URL.",
      ),
      incomingWebhook: maybe(
        object({
          createdAt: moment,
          regeneratedAt: maybeMoment,
          previousTokenUntil: describe(maybeMoment, 'Until this moment the previous token works too.'),
        }),
      ),
    }),
    SigningSecret: object({ signingSecret: { type: 'string', pattern: '^whsec_' } }),
    TestEventResult: object({
      delivered: flag,
      responseStatus: { type: ['integer', 'null'] },
      failure: describe(maybeText, "The failure's name, such as `timeout` or `http_500`."),
      durationMs: count,
      responseExcerpt: maybeText,
    }),
  }
}

export function connectionPaths({ vocabulary, line, Line }: ProductNames): Paths {
  const connection = vocabulary.path('/v1/lines/{lineId}/connection')
  const parameters = [inPath(vocabulary.idField, `The ${line}'s id.`)]
  const tags = ['Developer connection']
  const answer = answers('The connection as it is now.', schemaOf('Connection'))
  const secret = answers('The secret.', schemaOf('SigningSecret'))
  return {
    [connection]: {
      parameters,
      get: {
        operationId: 'getConnection',
        tags,
        summary: `Get a ${line}'s developer connection`,
        description: `All of it is empty if the ${line} was never connected.`,
        responses: { 200: answer, ...problems(401, 404) },
      },
      put: {
        operationId: 'changeConnection',
        tags,
        summary: 'Enable or disable the connection, and set its URL',
        description:
          'Give at least one of the fields. A field that is left out stays as it is. `enabled: true` also enables an ' +
          'endpoint that was disabled. A URL can be set only while the connection is enabled.',
        requestBody: body({
          ...object({ enabled: flag, outgoingWebhookUrl: maybeGivenUrl, optInEvents }, [
            'enabled',
            'outgoingWebhookUrl',
            'optInEvents',
          ]),
          minProperties: 1,
        }),
        responses: { 200: answer, ...problems(400, 401, 404, 409, 413) },
      },
      delete: {
        operationId: `disconnect${Line}`,
        tags,
        summary: 'Disconnect, and delete the incoming webhook',
        description: 'From then on the incoming webhook answers 404, and no event is sent.',
        responses: { 200: answer, ...problems(401, 404) },
      },
    },
    [`${connection}/test-event`]: {
      parameters,
      post: {
        operationId: 'sendTestEvent',
        tags,
        summary: 'Send a test event to the outgoing webhook URL',
        description:
          'The event is sent at once, and only once. The answer is 200 even if that fails, and says what happened. Its ' +
          'payload is an example of its type. With `listeners`, whoever follows the events gets it too, and without a URL they alone do ' +
          '(`failure` is `no_url`): at most 100 in an hour.',
        requestBody: body(
          object(
            {
              type: { ...oneOf(...TEST_EVENT_TYPES), default: 'inboundText' },
              listeners: { ...flag, default: false },
            },
            ['type', 'listeners'],
          ),
          { isOptional: true },
        ),
        responses: {
          200: answers('What the endpoint did.', schemaOf('TestEventResult')),
          ...problems(400, 401, 404, 409, 413, 429),
        },
      },
    },
    [`${connection}/signing-secret`]: {
      parameters,
      get: {
        operationId: 'getSigningSecret',
        tags,
        summary: 'Get the secret that signs events',
        description: 'Your server verifies events with it (Standard Webhooks).',
        responses: { 200: secret, ...problems(401, 404) },
      },
    },
    [`${connection}/rotate-secret`]: {
      parameters,
      post: {
        operationId: 'rotateSecret',
        tags,
        summary: 'Make a new signing secret',
        description: 'The old secret signs too for 24 h.',
        responses: { 200: secret, ...problems(400, 401, 404, 409, 413) },
      },
    },
    [`${connection}/pause-events`]: {
      parameters,
      post: {
        operationId: 'pauseEvents',
        tags,
        summary: 'Pause the events to the outgoing webhook URL',
        description: 'They wait, and use up no attempt. Test events are sent.',
        responses: { 200: answer, ...problems(400, 401, 404, 409, 413) },
      },
    },
    [`${connection}/resume-events`]: {
      parameters,
      post: {
        operationId: 'resumeEvents',
        tags,
        summary: 'Resume the events to the outgoing webhook URL',
        description: 'What waits is sent soon, in order. 403: an operator has paused them.',
        responses: { 200: answer, ...problems(400, 401, 403, 404, 409, 413) },
      },
    },
    [`${connection}/try-events-now`]: {
      parameters,
      post: {
        operationId: 'tryLineEventsNow',
        tags,
        summary: 'Try all events now that wait for their next attempt',
        description: 'For a server that was mended. This is refused while the events are paused.',
        responses: {
          200: answers('How many events are tried.', object({ count })),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
    [`${connection}/send-held-events`]: {
      parameters,
      post: {
        operationId: 'sendHeldEvents',
        tags,
        summary: 'Send the events that were held while the endpoint was disabled',
        description: 'They are sent oldest first. This is refused while the endpoint is still disabled.',
        responses: {
          200: answers('How many events are being sent.', object({ count })),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
  }
}
