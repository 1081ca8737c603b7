import {
  endAuthorizations,
  listAuthorizedApplications,
  type AuthorizedApplication,
} from '../../domain/applications/authorizations.js'
import type { Context } from '../../domain/context.js'
import {
  answers,
  describe,
  sender,
  id,
  listOf,
  maybeMoment,
  maybeUrl,
  moment,
  object,
  schemaOf,
  text,
} from '../openapi/parts.js'
import { operationsOf } from './operation.js'

export const authorizationSchemas = {
  AuthorizedApplication: object({
    id,
    name: text,
    website: maybeUrl,
    ownerName: describe(text, 'The user who registered it.'),
    'connected_{lines}': describe(
      listOf(
        object({
          id,
          name: text,
          phoneNumber: sender,
          scopes: describe(listOf(text), 'What it is allowed to do.'),
          connectedAt: moment,
          lastSentAt: maybeMoment,
          lastReceivedAt: describe(maybeMoment, 'Accurate to the minute.'),
        }),
      ),
      'Your {lines} that it can use.',
    ),
  }),
}

const operation = operationsOf('Authorized applications')
const list = listOf(schemaOf('AuthorizedApplication'))
const left = answers('The remaining applications.', list)

export const authorizationOperations = [
  operation({
    operationId: 'listAuthorizedApplications',
    at: 'get /v1/authorized-applications',
    may: 'reads account',
    summary: 'List the applications that can use your {lines}',
    description: 'Shows what each can do, and when it last sent or received a message.',
    answer: answers('All authorized applications.', list),
    act: ({ context, userId }) => presentAll(context, userId),
  }),
  operation({
    operationId: 'disconnectApplication',
    at: 'delete /v1/authorized-applications/{applicationId}',
    may: 'changes account',
    summary: 'Disconnect an application',
    description: 'It can no longer use any of your {lines}, and its tokens stop working.',
    answer: left,
    act: async ({ context, userId, id: applicationId }) => {
      await endAuthorizations(context, userId, applicationId)
      return presentAll(context, userId)
    },
  }),
  operation({
    operationId: 'disconnect{Line}FromApplication',
    at: 'delete /v1/authorized-applications/{applicationId}/lines/{lineId}',
    may: 'changes account',
    summary: 'Disconnect one {line} from an application',
    description: 'Its tokens stop working when it has no {lines} left.',
    answer: left,
    act: async ({ context, userId, id: applicationId, ids }) => {
      await endAuthorizations(context, userId, applicationId, ids.lineId ?? '')
      return presentAll(context, userId)
    },
  }),
]

async function presentAll(context: Context, userId: string) {
  return (await listAuthorizedApplications(context, userId)).map((application) =>
    present(context, application),
  )
}

function present({ vocabulary }: Context, application: AuthorizedApplication) {
  const { id: applicationId, name, website, ownerName, lines } = application
  return {
    id: applicationId,
    name,
    website,
    ownerName,
    [vocabulary.connectedField]: lines.map((line) => ({
      id: line.lineId,
      name: line.lineName,
      phoneNumber: line.number,
      scopes: line.scopes.map((scope) => vocabulary.scope(scope)),
      connectedAt: line.connectedAt,
      lastSentAt: line.lastSentAt,
      lastReceivedAt: line.lastReceivedAt,
    })),
  }
}
