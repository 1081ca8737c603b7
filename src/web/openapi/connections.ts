import { DISABLED_REASONS } from '../../database/endpoints.js'
import { LINE_OPT_IN_EVENT_TYPES } from '../../domain/opt-in-events.js'
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
  schemaOf,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

const optInEvents = describe(
  listOf(oneOf(...LINE_OPT_IN_EVENT_TYPES)),
  'Events besides those of received messages that the URL gets.',
)

export function connectionSchemas({ vocabulary }: ProductNames): Record<string, Schema> {
  return {
    Connection: object({
      [vocabulary.idField]: id,
      enabled: flag,
      outgoingWebhookUrl: describe(maybeUrl, 'Where events are sent.'),
      optInEvents,
      endpoint: describe(
        maybe(
          object({
            failingSince: describe(maybeMoment, 'Since when every attempt has failed.'),
            consecutiveFailureCount: count,
            disabledAt: describe(maybeMoment, 'Events are held since then. Enable the connection to go on.'),
            disabledReason: describe(
              maybe(oneOf(...DISABLED_REASONS)),
              '`gone`: it answered 410. `failing`: five days of nothing but failures. `owner_disabled`: the account of its ' +
                'owner was disabled.',
            ),
            previousSecretUntil: describe(
              maybeMoment,
              'Until then the signing secret before this one signs too.',
            ),
          }),
        ),
        "The outgoing webhook URL's health; null without a URL.",
      ),
      incomingWebhook: maybe(
        object({
          createdAt: moment,
          regeneratedAt: maybeMoment,
          previousTokenUntil: describe(maybeMoment, 'Until then the token before this one works too.'),
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
        description: `Of a ${line} that was never connected everything is empty.`,
        responses: { 200: answer, ...problems(401, 404) },
      },
      put: {
        operationId: 'changeConnection',
        tags,
        summary: 'Enable or disable it, and set the outgoing webhook URL',
        description:
          'At least one of the fields; what is left out stays. `enabled: true` also enables an endpoint that was ' +
          'disabled. A URL can be set only while the connection is enabled.',
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
        description: 'Its URL answers 404 from now on, and no event is sent any more.',
        responses: { 200: answer, ...problems(401, 404) },
      },
    },
    [`${connection}/test-event`]: {
      parameters,
      post: {
        operationId: 'sendTestEvent',
        tags,
        summary: 'Send a test event to the outgoing webhook URL',
        description: 'One attempt, at once. The answer is 200 also when it fails: it says what happened.',
        responses: {
          200: answers('What the endpoint did.', schemaOf('TestEventResult')),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
    [`${connection}/signing-secret`]: {
      parameters,
      get: {
        operationId: 'getSigningSecret',
        tags,
        summary: 'Get the secret that signs events',
        description: 'Your server verifies events by it (Standard Webhooks).',
        responses: { 200: secret, ...problems(401, 404) },
      },
    },
    [`${connection}/rotate-secret`]: {
      parameters,
      post: {
        operationId: 'rotateSecret',
        tags,
        summary: 'Make a new signing secret',
        description: 'The old one signs too for 24 h.',
        responses: { 200: secret, ...problems(400, 401, 404, 409, 413) },
      },
    },
    [`${connection}/send-held-events`]: {
      parameters,
      post: {
        operationId: 'sendHeldEvents',
        tags,
        summary: 'Send the events that were held while the endpoint was disabled',
        description: 'Oldest first. Not while the endpoint is disabled still.',
        responses: {
          200: answers('How many.', object({ count })),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
  }
}
