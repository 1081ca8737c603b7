import { DISABLED_REASONS } from '../../database/endpoints/endpoints.js'
import { APPLICATION_FIELDS } from '../../database/applications/application.js'
import { APPLICATION_DELIVERY_FIELDS } from '../../database/endpoints/deliveries/delivery.js'
import { MAX_DESCRIPTION_LENGTH } from '../../domain/applications/application-fields.js'
import {
  answers,
  answersList,
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
  pageLimit,
  schemaOf,
  shownOf,
  text,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

const { kind } = APPLICATION_FIELDS

/** The fields that a program can give, in the form in which it gives them. */
function changeable(words: ProductNames): Record<string, Schema> {
  const { name, redirectUris, optInEvents } = APPLICATION_FIELDS
  return {
    ...shownOf({ name, redirectUris, optInEvents }, words),
    description: { type: ['string', 'null'], maxLength: MAX_DESCRIPTION_LENGTH },
    website: maybeGivenUrl,
    webhookUrl: describe(maybeGivenUrl, 'The URL to which its events are sent. With null it gets no events.'),
  }
}

export function applicationSchemas(words: ProductNames): Record<string, Schema> {
  const application = shownOf(APPLICATION_FIELDS, words)
  return {
    EndpointHealth: object({
      failingSince: describe(maybeMoment, 'Every attempt since this moment has failed.'),
      consecutiveFailureCount: count,
      disabledAt: describe(
        maybeMoment,
        'Events are held since this moment. Give `webhookUrl` again to enable the endpoint.',
      ),
      disabledReason: { enum: [...DISABLED_REASONS, null] },
      previousSecretUntil: describe(maybeMoment, 'Until this moment the previous signing secret signs too.'),
      pausedAt: describe(maybeMoment, 'Since when no events are sent: they wait.'),
    }),
    Application: object(application),
    RegisteredApplication: object({
      ...application,
      clientSecret: describe(
        maybeText,
        'It is shown only in this answer. It is null for a public application.',
      ),
      signingSecret: describe(maybeText, 'It signs the events. It is null without a webhook URL.'),
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
        description: 'They come oldest first and without their secrets.',
        responses: { 200: answers('All of them.', listOf(schemaOf('Application'))), ...problems(401) },
      },
      post: {
        operationId: 'registerApplication',
        tags,
        summary: 'Register an application',
        description: `Other users can then authorize it for their ${lines} by OAuth 2.0. You can have at most 50.`,
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
        description: 'It comes without its secrets.',
        responses: { 200: answer, ...problems(401, 404) },
      },
      put: {
        operationId: 'changeApplication',
        tags,
        summary: 'Change an application',
        description:
          'Give at least one of the fields. A field that is left out stays as it is. Giving `webhookUrl` enables an ' +
          'endpoint that was disabled.',
        requestBody: body({ ...object(changeable(words), Object.keys(changeable(words))), minProperties: 1 }),
        responses: { 200: answer, ...problems(400, 401, 404, 413) },
      },
      delete: {
        operationId: 'deleteApplication',
        tags,
        summary: 'Delete an application',
        description: 'From then on its tokens are refused, and it gets no events.',
        responses: {
          200: answers('The application as it was.', schemaOf('Application')),
          ...problems(401, 404),
        },
      },
    },
    [`${application}/rotate-secret`]: {
      parameters,
      post: {
        operationId: 'rotateClientSecret',
        tags,
        summary: 'Make a new client secret',
        description: 'The old secret is refused at once.',
        responses: {
          200: answers('The secret. It is shown only in this answer.', object({ clientSecret: text })),
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
        description: "The application's server verifies events with it (Standard Webhooks).",
        responses: { 200: signingSecret, ...problems(401, 404) },
      },
    },
    [`${application}/rotate-signing-secret`]: {
      parameters,
      post: {
        operationId: 'rotateApplicationSigningSecret',
        tags,
        summary: 'Make a new signing secret',
        description: 'The old secret signs too for 24 h.',
        responses: { 200: signingSecret, ...problems(400, 401, 404, 409, 413) },
      },
    },
    [`${application}/test-event`]: {
      parameters,
      post: {
        operationId: 'sendApplicationTestEvent',
        tags,
        summary: 'Send a test event to its webhook URL',
        description:
          'The event is sent at once, and only once. The answer is 200 even if that fails, and says what happened.',
        responses: {
          200: answers('What the server did.', schemaOf('TestEventResult')),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
    [`${application}/try-events-now`]: {
      parameters,
      post: {
        operationId: 'tryApplicationEventsNow',
        tags,
        summary: 'Try all events now that wait for their next attempt',
        description: 'For a server that was mended. This is refused while the events are paused.',
        responses: {
          200: answers('How many events are tried.', object({ count })),
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
        description: 'They are sent oldest first. This is refused while the URL is still disabled.',
        responses: {
          200: answers('How many events are being sent.', object({ count })),
          ...problems(400, 401, 404, 409, 413),
        },
      },
    },
    [`${application}/pause-events`]: {
      parameters,
      post: {
        operationId: 'pauseApplicationEvents',
        tags,
        summary: 'Pause the events to its webhook URL',
        description: 'They wait, and use up no attempt. Test events are sent.',
        responses: { 200: answer, ...problems(400, 401, 404, 409, 413) },
      },
    },
    [`${application}/resume-events`]: {
      parameters,
      post: {
        operationId: 'resumeApplicationEvents',
        tags,
        summary: 'Resume the events to its webhook URL',
        description: 'What waits is sent soon, in order.',
        responses: { 200: answer, ...problems(400, 401, 404, 409, 413) },
      },
    },
    [`${application}/deliveries`]: {
      parameters,
      get: {
        operationId: 'listApplicationDeliveries',
        tags,
        summary: 'List what became of its events',
        description: 'They come newest first.',
        parameters: [inQuery('before', id, 'Only what is older than the delivery with this id.'), pageLimit],
        responses: {
          200: answersList(
            'A page of deliveries; as CSV all of them.',
            schemaOf('ApplicationDelivery'),
            nextPage,
          ),
          ...problems(400, 401, 404),
        },
      },
    },
  }
}
