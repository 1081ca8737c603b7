import { LINE_OPT_IN_EVENT_TYPES, LINE_EVENT_TYPES } from '../../event-types.js'
import { DISABLED_REASONS } from '../../database/endpoints/endpoints.js'
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
  'The events that it gets besides those of received messages.',
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
            id: describe(id, 'Of the endpoint, for `/v1/endpoints`.'),
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
        "The outgoing webhook's endpoint; null without a URL.",
      ),
      incomingWebhook: maybe(
        object({
          createdAt: moment,
          regeneratedAt: maybeMoment,
          previousTokenUntil: describe(maybeMoment, 'Until this moment the previous token works too.'),
        }),
      ),
    }),
  }
}

export function connectionPaths({ vocabulary, line, Line }: ProductNames): Paths {
  const connection = vocabulary.path('/v1/lines/{lineId}/connection')
  const parameters = [inPath(vocabulary.idField, `The ${line}'s id.`)]
  const tags = ['Developer connection']
  const answer = answers('The connection as it is now.', schemaOf('Connection'))
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
        description:
          'From then on the incoming webhook answers 404, and no event is sent. Its other endpoints are deleted.',
        responses: { 200: answer, ...problems(401, 404) },
      },
    },
    [vocabulary.path('/v1/lines/{lineId}/events/trigger')]: {
      parameters,
      post: {
        operationId: 'triggerEvent',
        tags,
        summary: `Send an example to the ${line}'s outgoing webhook, and to whoever listens`,
        description:
          'The event is sent at once, and only once. The answer is 200 even if that fails, and says what happened. Without an ' +
          'outgoing webhook only listeners get it (`failure` is `no_url`): at most 100 in an hour.',
        requestBody: body(
          object({ type: { ...oneOf(...LINE_EVENT_TYPES), default: 'inboundText' } }, ['type']),
          { isOptional: true },
        ),
        responses: {
          200: answers('What the webhook did.', schemaOf('TestEventResult')),
          ...problems(400, 401, 404, 413, 429),
        },
      },
    },
  }
}
