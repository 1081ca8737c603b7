import { ALL_EVENT_TYPES, OPT_IN_EVENT_TYPES } from '../../event-types.js'
import { ENDPOINT_FIELDS } from '../../database/endpoints/endpoints.js'
import { ENDPOINT_STATES } from '../../domain/endpoints/deliveries/endpoint-state.js'
import { MAX_LINE_ENDPOINTS } from '../../domain/endpoints/endpoints.js'
import { orApplication } from './oauth.js'
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
  maybeText,
  name,
  nextPage,
  object,
  oneOf,
  pageLimit,
  schemaOf,
  shownOf,
  type Operation,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

const optInEvents = describe(
  listOf(oneOf(...OPT_IN_EVENT_TYPES)),
  'The events that it gets besides those of received messages. `lineDisconnected` is for applications.',
)

export function endpointSchemas(words: ProductNames): Record<string, Schema> {
  const endpoint = shownOf(ENDPOINT_FIELDS, words)
  return {
    Endpoint: object(endpoint),
    NewEndpoint: object({
      ...endpoint,
      signingSecret: describe({ type: 'string', pattern: '^whsec_' }, 'It signs the events.'),
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

/** An empty name stands for none, as null does. */
const maybeGivenName: Schema = { anyOf: [name, { type: 'null' }, { const: '' }] }

export function endpointPaths(words: ProductNames): Paths {
  const { vocabulary, line, lines } = words
  const { idField } = vocabulary
  const tags = ['Endpoints']
  const one = '/v1/endpoints/{endpointId}'
  const parameters = [inPath('endpointId', "The endpoint's id.")]
  const answer = answers('The endpoint as it is now.', schemaOf('Endpoint'))
  const secret = answers('The secret.', schemaOf('SigningSecret'))
  const fields = { name: maybeGivenName, url: givenUrl, optInEvents }
  const owner = {
    [idField]: describe(id, `The ${line} whose events it gets.`),
    applicationId: describe(id, 'Or the application whose webhook it is.'),
  }
  const security = orApplication(words, 'messages:connect')

  /** An act on one endpoint. */
  const act = (path: string, operation: Omit<Operation, 'tags'>): Paths => ({
    [`${one}/${path}`]: { parameters, post: { tags, ...operation } as Operation },
  })
  return {
    '/v1/endpoints': {
      get: {
        operationId: 'listEndpoints',
        tags,
        security,
        summary: `List the endpoints of your ${lines}, your applications and your account`,
        description: `A ${line}'s outgoing webhook comes first. An application sees its own endpoint.`,
        parameters: [
          inQuery(idField, id, `Only those of this ${line}.`),
          inQuery('applicationId', id, 'Only that of this application.'),
          inQuery('state', oneOf(...ENDPOINT_STATES), 'Only those that are so.'),
        ],
        responses: { 200: answers('All of them.', listOf(schemaOf('Endpoint'))), ...problems(400, 401) },
      },
      post: {
        operationId: 'addEndpoint',
        tags,
        summary: `Add an endpoint to a ${line}, an application that has none, or your account`,
        description:
          `It gets each event from then on, signed with a secret of its own. Beside its outgoing webhook a ${line} may have ` +
          `${MAX_LINE_ENDPOINTS}, and its developer connection must be enabled. Without ${idField} and applicationId it is an ` +
          'operational webhook of your account, which gets your notices.',
        requestBody: body(object({ ...owner, ...fields }, [...Object.keys(owner), 'name', 'optInEvents'])),
        responses: {
          200: answers('The endpoint, and its secret.', schemaOf('NewEndpoint')),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
    [one]: {
      parameters,
      get: {
        operationId: 'getEndpoint',
        tags,
        security,
        summary: 'Get an endpoint',
        description: 'Its health is in it.',
        responses: { 200: answer, ...problems(401, 404) },
      },
      patch: {
        operationId: 'changeEndpoint',
        tags,
        summary: 'Change an endpoint',
        description:
          'Give at least one of the fields. A field that is left out stays as it is. Another URL keeps the secret and gets what ' +
          'was held.',
        requestBody: body({ ...object(fields, Object.keys(fields)), minProperties: 1 }),
        responses: { 200: answer, ...problems(400, 401, 404, 413) },
      },
      delete: {
        operationId: 'deleteEndpoint',
        tags,
        summary: 'Delete an endpoint',
        description: 'It gets no more events, and those that wait for it end as `exhausted`.',
        responses: { 200: answers('The endpoint as it was.', schemaOf('Endpoint')), ...problems(401, 404) },
      },
    },
    ...act('test-event', {
      operationId: 'sendTestEvent',
      security,
      summary: 'Send a test event to an endpoint',
      description:
        'The event is sent at once, and only once. The answer is 200 even if that fails, and says what happened. Its payload is ' +
        'an example of its type; without a type it is the first that the endpoint gets.',
      requestBody: body(object({ type: oneOf(...ALL_EVENT_TYPES) }, ['type']), {
        isOptional: true,
      }),
      responses: {
        200: answers('What the endpoint did.', schemaOf('TestEventResult')),
        ...problems(400, 401, 404, 409, 413),
      },
    }),
    ...act('enable', {
      operationId: 'enableEndpoint',
      summary: 'Enable an endpoint again',
      description: 'After it was disabled for failing. What was held stays so until it is sent.',
      responses: { 200: answer, ...problems(400, 401, 404, 413) },
    }),
    ...act('pause', {
      operationId: 'pauseEndpoint',
      summary: 'Pause the events to an endpoint',
      description: 'They wait, and use up no attempt. Test events are sent.',
      responses: { 200: answer, ...problems(400, 401, 404, 413) },
    }),
    ...act('resume', {
      operationId: 'resumeEndpoint',
      summary: 'Resume the events to an endpoint',
      description: 'What waits is sent soon, in order. 403: an operator has paused them.',
      responses: { 200: answer, ...problems(400, 401, 403, 404, 413) },
    }),
    ...act('try-now', {
      operationId: 'tryEndpointNow',
      security,
      summary: 'Try all events now that wait for their next attempt',
      description: 'For a server that was mended. This is refused while the events are paused.',
      responses: {
        200: answers('How many events are tried.', object({ count })),
        ...problems(400, 401, 404, 409, 413),
      },
    }),
    ...act('send-held-events', {
      operationId: 'sendHeldEvents',
      security,
      summary: 'Send the events that were held while the endpoint was disabled',
      description: 'They are sent oldest first. This is refused while the endpoint is still disabled.',
      responses: {
        200: answers('How many events are being sent.', object({ count })),
        ...problems(400, 401, 404, 409, 413),
      },
    }),
    [`${one}/signing-secret`]: {
      parameters,
      get: {
        operationId: 'getSigningSecret',
        tags,
        summary: 'Get the secret that signs events',
        description: 'Your server verifies events with it (Standard Webhooks).',
        responses: { 200: secret, ...problems(401, 404) },
      },
    },
    ...act('rotate-secret', {
      operationId: 'rotateSecret',
      summary: 'Make a new signing secret',
      description: 'The old secret signs too for 24 h.',
      responses: { 200: secret, ...problems(400, 401, 404, 413) },
    }),
    [`${one}/deliveries`]: {
      parameters,
      get: {
        operationId: 'listDeliveriesOfEndpoint',
        tags,
        summary: 'List the deliveries to an endpoint',
        description: `They come newest first; those of an application without what was said on the ${line}.`,
        parameters: [inQuery('before', id, 'Only what is older than the delivery with this id.'), pageLimit],
        responses: {
          200: answersList(
            'A page of deliveries; as CSV all of them.',
            { anyOf: [schemaOf('Delivery'), schemaOf('ApplicationDelivery')] },
            nextPage,
          ),
          ...problems(400, 401, 404),
        },
      },
    },
  }
}
