import {
  answers,
  describe,
  e164,
  id,
  inPath,
  listOf,
  maybeMoment,
  maybeUrl,
  moment,
  object,
  schemaOf,
  text,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

export function authorizationSchemas({ vocabulary, lines }: ProductNames): Record<string, Schema> {
  return {
    AuthorizedApplication: object({
      id,
      name: text,
      website: maybeUrl,
      ownerName: describe(text, 'The user who registered it.'),
      [vocabulary.connectedField]: describe(
        listOf(
          object({
            id,
            name: text,
            phoneNumber: e164,
            scopes: describe(listOf(text), 'What it may do.'),
            connectedAt: moment,
            lastSentAt: maybeMoment,
            lastReceivedAt: describe(maybeMoment, 'This is exact to the minute.'),
          }),
        ),
        `Your ${lines} that it may use.`,
      ),
    }),
  }
}

export function authorizationPaths({ vocabulary, line, lines, Line }: ProductNames): Paths {
  const tags = ['Authorized applications']
  const applicationId = inPath('applicationId', "The application's id.")
  const left = answers('The applications that are left.', listOf(schemaOf('AuthorizedApplication')))
  return {
    '/v1/authorized-applications': {
      get: {
        operationId: 'listAuthorizedApplications',
        tags,
        summary: `List the applications that may use your ${lines}`,
        description: 'The answer says what each may do, and when it last sent or received.',
        responses: {
          200: answers('All of them.', listOf(schemaOf('AuthorizedApplication'))),
          ...problems(401),
        },
      },
    },
    '/v1/authorized-applications/{applicationId}': {
      parameters: [applicationId],
      delete: {
        operationId: 'disconnectApplication',
        tags,
        summary: 'Disconnect an application',
        description: `From then on it can use none of your ${lines}, and its tokens are refused.`,
        responses: { 200: left, ...problems(401, 404) },
      },
    },
    [vocabulary.path('/v1/authorized-applications/{applicationId}/lines/{lineId}')]: {
      parameters: [applicationId, inPath(vocabulary.idField, `The ${line}'s id.`)],
      delete: {
        operationId: `disconnect${Line}FromApplication`,
        tags,
        summary: `Disconnect one ${line} from an application`,
        description: `Its tokens end when it has no ${line} left.`,
        responses: { 200: left, ...problems(401, 404) },
      },
    },
  }
}
