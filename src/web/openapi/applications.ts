import { DISABLED_REASONS } from '../../database/endpoints/endpoints.js'
import { APPLICATION_FIELDS } from '../../database/applications/application.js'
import { APPLICATION_DELIVERY_FIELDS } from '../../database/endpoints/deliveries/delivery.js'
import { MAX_DESCRIPTION_LENGTH } from '../../domain/applications/application-fields.js'
import {
  answers,
  body,
  count,
  describe,
  id,
  inPath,
  listOf,
  maybeGivenUrl,
  maybeMoment,
  maybeText,
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
      id: describe(id, 'Of the endpoint, for `/v1/endpoints`.'),
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
  }
}
