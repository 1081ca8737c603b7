import { DISABLED_REASONS } from '../../database/endpoints.js'
import { APPLICATION_FIELDS } from '../../database/application.js'
import { APPLICATION_DELIVERY_FIELDS } from '../../database/deliveries/delivery.js'
import {
  answers,
  body,
  count,
  describe,
  id,
  inPath,
  inQuery,
  listOf,
  maybeGivenUrl,
  maybeMoment,
  maybeText,
  nextPage,
  object,
  schemaOf,
  shownOf,
  text,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

const { kind } = APPLICATION_FIELDS

/** As they are given. */
function changeable(words: ProductNames): Record<string, Schema> {
  const { name, redirectUris, optInEvents } = APPLICATION_FIELDS
  return {
    ...shownOf({ name, redirectUris, optInEvents }, words),
    description: { type: ['string', 'null'], maxLength: 500 },
    website: maybeGivenUrl,
    webhookUrl: describe(maybeGivenUrl, 'Where its events are sent; null: it gets none.'),
  }
}

export function applicationSchemas(words: ProductNames): Record<string, Schema> {
  const application = shownOf(APPLICATION_FIELDS, words)
  return {
    EndpointHealth: object({
      failingSince: describe(maybeMoment, 'Since when every attempt has failed.'),
      consecutiveFailureCount: count,
      disabledAt: describe(maybeMoment, 'Events are held since then. Give webhookUrl again to go on.'),
      disabledReason: { enum: [...DISABLED_REASONS, null] },
      previousSecretUntil: describe(maybeMoment, 'Until then the signing secret before this one signs too.'),
    }),
    Application: object(application),
    RegisteredApplication: object({
      ...application,
      clientSecret: describe(maybeText, 'Shown this once; null for a public application.'),
      signingSecret: describe(maybeText, 'Of its events; null without a webhook URL.'),
    }),
    ApplicationDelivery: object(shownOf(APPLICATION_DELIVERY_FIELDS, words)),
  }
}

export function applicationPaths(words: ProductNames): Paths {
  const { lines } = words
  const tags = ['Applications']
  const application = '/v1/applications/{applicationId}'
  const parameters = [inPath('applicationId', "The application's id.")]
  const answer = answers('The application.', schemaOf('Application'))
  const signingSecret = answers('The secret.', schemaOf('SigningSecret'))
  return {
    '/v1/applications': {
      get: {
        operationId: 'listApplications',
        tags,
        summary: 'List the applications that you registered',
        description: 'Oldest first, without their secrets.',
        responses: { 200: answers('All of them.', listOf(schemaOf('Application'))), ...problems(401) },
      },
      post: {
        operationId: 'registerApplication',
        tags,
        summary: 'Register an application',
        description: `Other users may then let it at their ${lines}, by OAuth 2.0. At most 50.`,
        requestBody: body(
          object({ ...changeable(words), ...shownOf({ kind }, words) }, [
            'description',
            'website',
            'webhookUrl',
            'optInEvents',
            'kind',
          ]),
        ),
        responses: {
          200: answers('The application, with its secrets.', schemaOf('RegisteredApplication')),
          ...problems(400, 401, 409, 413),
        },
      },
    },
    [application]: {
      parameters,
      get: {
        operationId: 'getApplication',
        tags,
        summary: 'Get an application',
        description: 'Without its secrets.',
        responses: { 200: answer, ...problems(401, 404) },
      },
      put: {
        operationId: 'changeApplication',
        tags,
        summary: 'Change an application',
        description:
          'At least one of the fields; what is left out stays. Giving `webhookUrl` enables one that was disabled.',
        requestBody: body({ ...object(changeable(words), Object.keys(changeable(words))), minProperties: 1 }),
        responses: { 200: answer, ...problems(400, 401, 404, 413) },
      },
      delete: {
        operationId: 'deleteApplication',
        tags,
        summary: 'Delete an application',
        description: 'At once its tokens are refused, and it gets no more events.',
        responses: { 200: answers('What it was.', schemaOf('Application')), ...problems(401, 404) },
      },
    },
    [`${application}/rotate-secret`]: {
      parameters,
      post: {
        operationId: 'rotateClientSecret',
        tags,
        summary: 'Make a new client secret',
        description: 'The old one is refused at once.',
        responses: {
          200: answers('The secret, shown this once.', object({ clientSecret: text })),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
    [`${application}/signing-secret`]: {
      parameters,
      get: {
        operationId: 'getApplicationSigningSecret',
        tags,
        summary: 'Get the secret that signs its events',
        description: 'Its server verifies events by it (Standard Webhooks).',
        responses: { 200: signingSecret, ...problems(401, 404) },
      },
    },
    [`${application}/rotate-signing-secret`]: {
      parameters,
      post: {
        operationId: 'rotateApplicationSigningSecret',
        tags,
        summary: 'Make a new signing secret',
        description: 'The old one signs too for 24 h.',
        responses: { 200: signingSecret, ...problems(400, 401, 404, 409, 413) },
      },
    },
    [`${application}/test-event`]: {
      parameters,
      post: {
        operationId: 'sendApplicationTestEvent',
        tags,
        summary: 'Send a test event to its webhook URL',
        description: 'One attempt, at once. The answer is 200 also when it fails: it says what happened.',
        responses: {
          200: answers('What the server did.', schemaOf('TestEventResult')),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
    [`${application}/send-held-events`]: {
      parameters,
      post: {
        operationId: 'sendHeldApplicationEvents',
        tags,
        summary: 'Send the events that were held while its webhook URL was disabled',
        description: 'Oldest first. Not while the URL is disabled still.',
        responses: {
          200: answers('How many.', object({ count })),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
    [`${application}/deliveries`]: {
      parameters,
      get: {
        operationId: 'listApplicationDeliveries',
        tags,
        summary: 'List what became of its events',
        description: 'Newest first.',
        parameters: [
          inQuery('before', id, 'Only what is older than the thing with this id.'),
          inQuery('limit', { type: 'integer', minimum: 1, maximum: 100, default: 50 }, 'How many at most.'),
        ],
        responses: {
          200: answers('A page of deliveries.', listOf(schemaOf('ApplicationDelivery')), nextPage),
          ...problems(400, 401, 404),
        },
      },
    },
  }
}
