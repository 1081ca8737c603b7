import { LINE_ENDPOINT_FIELDS } from '../../database/endpoints/line-endpoints.js'
import { MAX_LINE_ENDPOINTS } from '../../domain/endpoints/line-endpoints.js'
import { LINE_OPT_IN_EVENT_TYPES } from '../../domain/endpoints/opt-in-events.js'
import { TEST_EVENT_TYPES } from '../../domain/endpoints/test-event.js'
import {
  answers,
  answersList,
  body,
  count,
  describe,
  flag,
  givenUrl,
  id,
  inPath,
  inQuery,
  listOf,
  name,
  nextPage,
  object,
  oneOf,
  pageLimit,
  schemaOf,
  shownOf,
  type Parameter,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

/** What an endpoint of a line may ask for. */
export const optInEvents = describe(
  listOf(oneOf(...LINE_OPT_IN_EVENT_TYPES)),
  'The events that it gets besides those of received messages.',
)

export function lineEndpointSchemas(words: ProductNames): Record<string, Schema> {
  const endpoint = { ...shownOf(LINE_ENDPOINT_FIELDS, words), optInEvents }
  return {
    LineEndpoint: object(endpoint),
    NewLineEndpoint: object({
      ...endpoint,
      signingSecret: describe({ type: 'string', pattern: '^whsec_' }, 'It signs the events.'),
    }),
  }
}

/** An empty name stands for none, as null does. */
const maybeGivenName: Schema = { anyOf: [name, { type: 'null' }, { const: '' }] }

const TAG = 'Further endpoints'

export function lineEndpointPaths({ vocabulary, line }: ProductNames): Paths {
  const endpoints = vocabulary.path('/v1/lines/{lineId}/endpoints')
  const one = `${endpoints}/{endpointId}`
  const ofLine = [inPath(vocabulary.idField, `The ${line}'s id.`)]
  const parameters = [...ofLine, inPath('endpointId', "The endpoint's id.")]
  const tags = [TAG]
  const answer = answers('The endpoint as it is now.', schemaOf('LineEndpoint'))
  const fields = { name: maybeGivenName, url: givenUrl, optInEvents }
  return {
    [endpoints]: {
      parameters: ofLine,
      get: {
        operationId: 'listEndpoints',
        tags,
        summary: `List a ${line}'s further endpoints`,
        description: 'They come oldest first. The outgoing webhook URL is not among them.',
        responses: {
          200: answers('All of them.', listOf(schemaOf('LineEndpoint'))),
          ...problems(401, 404),
        },
      },
      post: {
        operationId: 'addEndpoint',
        tags,
        summary: 'Add an endpoint beside the outgoing webhook URL',
        description:
          `It gets each event from then on, signed with a secret of its own. There may be ${MAX_LINE_ENDPOINTS}, and the ` +
          'developer connection must be enabled.',
        requestBody: body(object(fields, ['name', 'optInEvents'])),
        responses: {
          200: answers('The endpoint, and its secret.', schemaOf('NewLineEndpoint')),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
    [one]: {
      parameters,
      get: {
        operationId: 'getEndpoint',
        tags,
        summary: 'Get a further endpoint',
        description: 'Its health is in it.',
        responses: { 200: answer, ...problems(401, 404) },
      },
      patch: {
        operationId: 'changeEndpoint',
        tags,
        summary: 'Change a further endpoint',
        description:
          'Give at least one of the fields. A field that is left out stays as it is. Another URL keeps the secret and gets what ' +
          'was held.',
        requestBody: body({ ...object(fields, Object.keys(fields)), minProperties: 1 }),
        responses: { 200: answer, ...problems(400, 401, 404, 413) },
      },
      delete: {
        operationId: 'deleteEndpoint',
        tags,
        summary: 'Delete a further endpoint',
        description: 'It gets no more events, and those that wait for it end as `exhausted`.',
        responses: {
          200: answers('The endpoint as it was.', schemaOf('LineEndpoint')),
          ...problems(401, 404),
        },
      },
    },
    [`${one}/enable`]: {
      parameters,
      post: {
        operationId: 'enableEndpoint',
        tags,
        summary: 'Enable a further endpoint again',
        description: 'After it was disabled for failing. What was held stays so until it is sent.',
        responses: { 200: answer, ...problems(400, 401, 404, 413) },
      },
    },
    ...endpointActPaths({
      path: one,
      parameters,
      tag: TAG,
      suffix: 'OfEndpoint',
      what: 'a further endpoint',
      answer,
    }),
    [`${one}/deliveries`]: {
      parameters,
      get: {
        operationId: 'listDeliveriesOfEndpoint',
        tags,
        summary: 'List the deliveries to a further endpoint',
        description: 'They come newest first.',
        parameters: [inQuery('before', id, 'Only what is older than the delivery with this id.'), pageLimit],
        responses: {
          200: answersList('A page of deliveries; as CSV all of them.', schemaOf('Delivery'), nextPage),
          ...problems(400, 401, 404),
        },
      },
    },
  }
}

/** What is done to any endpoint of a line: its outgoing webhook URL, or a further one. */
export function endpointActPaths(of: {
  path: string
  parameters: Parameter[]
  tag: string
  /** Of the operations' ids. */
  suffix: string
  what: string
  /** What a pause answers. */
  answer: object
}): Paths {
  const { path, parameters, suffix, what, answer } = of
  const tags = [of.tag]
  const secret = answers('The secret.', schemaOf('SigningSecret'))
  return {
    [`${path}/test-event`]: {
      parameters,
      post: {
        operationId: `sendTestEvent${suffix}`,
        tags,
        summary: `Send a test event to ${what}`,
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
    [`${path}/signing-secret`]: {
      parameters,
      get: {
        operationId: `getSigningSecret${suffix}`,
        tags,
        summary: 'Get the secret that signs events',
        description: 'Your server verifies events with it (Standard Webhooks).',
        responses: { 200: secret, ...problems(401, 404) },
      },
    },
    [`${path}/rotate-secret`]: {
      parameters,
      post: {
        operationId: `rotateSecret${suffix}`,
        tags,
        summary: 'Make a new signing secret',
        description: 'The old secret signs too for 24 h.',
        responses: { 200: secret, ...problems(400, 401, 404, 409, 413) },
      },
    },
    [`${path}/pause-events`]: {
      parameters,
      post: {
        operationId: `pauseEvents${suffix}`,
        tags,
        summary: `Pause the events to ${what}`,
        description: 'They wait, and use up no attempt. Test events are sent.',
        responses: { 200: answer, ...problems(400, 401, 404, 409, 413) },
      },
    },
    [`${path}/resume-events`]: {
      parameters,
      post: {
        operationId: `resumeEvents${suffix}`,
        tags,
        summary: `Resume the events to ${what}`,
        description: 'What waits is sent soon, in order. 403: an operator has paused them.',
        responses: { 200: answer, ...problems(400, 401, 403, 404, 409, 413) },
      },
    },
    [`${path}/try-events-now`]: {
      parameters,
      post: {
        operationId: `tryLineEventsNow${suffix}`,
        tags,
        summary: 'Try all events now that wait for their next attempt',
        description: 'For a server that was mended. This is refused while the events are paused.',
        responses: {
          200: answers('How many events are tried.', object({ count })),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
    [`${path}/send-held-events`]: {
      parameters,
      post: {
        operationId: `sendHeldEvents${suffix}`,
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
