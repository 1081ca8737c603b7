import * as yup from 'yup'
import { APPLICATION_FIELDS } from '../../database/applications/application.js'
import { listApplicationsOf } from '../../database/applications/applications.js'
import { APPLICATION_DELIVERY_FIELDS } from '../../database/endpoints/deliveries/delivery.js'
import { DISABLED_REASONS } from '../../database/endpoints/endpoints.js'
import { MAX_DESCRIPTION_LENGTH, MAX_REDIRECT_URIS } from '../../domain/applications/application-fields.js'
import {
  deleteApplication,
  getApplication,
  registerApplication,
  rotateClientSecret,
  updateApplication,
} from '../../domain/applications/applications.js'
import { UserError } from '../../errors.js'
import { OPT_IN_EVENT_TYPES } from '../../event-types.js'
import { listField, optInEventsField, textField } from '../input/body-fields.js'
import {
  answers,
  count,
  describe,
  id,
  listOf,
  maybeGivenUrl,
  maybeMoment,
  maybeText,
  object,
  schemaOf,
  shownOf,
  text,
} from '../openapi/parts.js'
import { operationsOf } from './operation.js'
import { presentApplication } from './presenters.js'

const application = shownOf(APPLICATION_FIELDS)

export const applicationSchemas = {
  EndpointHealth: object({
    id: describe(id, "The endpoint's ID, for `/v1/endpoints`."),
    failingSince: describe(maybeMoment, 'When the current streak of failures began.'),
    consecutiveFailureCount: count,
    disabledAt: describe(
      maybeMoment,
      'When the endpoint was disabled. Events have been held since then. Set `webhookUrl` again to enable it.',
    ),
    disabledReason: { enum: [...DISABLED_REASONS, null] },
    previousSecretUntil: describe(maybeMoment, 'Events are also signed with the previous secret until then.'),
    pausedAt: describe(maybeMoment, 'When events were paused. They wait until events are resumed.'),
  }),
  Application: object(application),
  RegisteredApplication: object({
    ...application,
    clientSecret: describe(maybeText, 'Shown only in this response. Null for a public application.'),
    signingSecret: describe(maybeText, 'Signs the events. Null without a webhook URL.'),
  }),
  ApplicationDelivery: object(shownOf(APPLICATION_DELIVERY_FIELDS)),
}

/** A field that is read in the form in which the API shows it. */
function shownField(name: 'name' | 'redirectUris' | 'kind') {
  const { kind, about } = APPLICATION_FIELDS[name]
  return { schema: kind.schema, ...(about === undefined ? {} : { about }) }
}

const changeable = {
  name: textField().meta(shownField('name')),
  redirectUris: listField('redirectUris', 'URIs', { max: MAX_REDIRECT_URIS }).meta(
    shownField('redirectUris'),
  ),
  optInEvents: optInEventsField(OPT_IN_EVENT_TYPES).meta({
    about: APPLICATION_FIELDS.optInEvents.about ?? '',
  }),
  description: textField()
    .nullable()
    .meta({ schema: { type: ['string', 'null'], maxLength: MAX_DESCRIPTION_LENGTH } }),
  website: textField().nullable().meta({ schema: maybeGivenUrl }),
  webhookUrl: textField().nullable().meta({
    schema: maybeGivenUrl,
    about: 'The URL that receives its events. Null stops them.',
  }),
}

const operation = operationsOf('Applications')
const path = '/v1/applications/{applicationId}'
const one = answers('The application.', schemaOf('Application'))

export const applicationOperations = [
  operation({
    operationId: 'listApplications',
    at: 'get /v1/applications',
    may: 'reads account',
    summary: 'List the applications that you registered',
    description: 'Oldest first, without their secrets.',
    answer: answers('All your applications.', listOf(schemaOf('Application'))),
    act: async ({ context, userId }) =>
      (await listApplicationsOf(context.db, userId)).map(presentApplication),
  }),
  operation({
    operationId: 'registerApplication',
    at: 'post /v1/applications',
    may: 'changes account',
    summary: 'Register an application',
    description:
      'Other users can then authorize it for their {lines} through OAuth 2.0. You can have up to 50.',
    body: yup.object({
      ...changeable,
      name: changeable.name.required('name is required'),
      redirectUris: changeable.redirectUris.required('redirectUris is required'),
      kind: textField().meta(shownField('kind')),
    }),
    answer: answers('The application, with its secrets.', schemaOf('RegisteredApplication')),
    refusals: [409],
    act: async ({ context, userId, body }) => {
      const { application: made, ...secrets } = await registerApplication(context, userId, await body())
      return { ...presentApplication(made), ...secrets }
    },
  }),
  operation({
    operationId: 'getApplication',
    at: `get ${path}`,
    may: 'reads account',
    summary: 'Get an application',
    description: 'Without its secrets.',
    answer: one,
    act: async ({ context, userId, id: applicationId }) =>
      presentApplication(await getApplication(context, userId, applicationId)),
  }),
  operation({
    operationId: 'changeApplication',
    at: `put ${path}`,
    may: 'changes account',
    summary: 'Change an application',
    description:
      'Give at least one field. Omitted fields stay unchanged. Giving `webhookUrl` enables an ' +
      'endpoint that was disabled.',
    body: yup.object(changeable),
    needsField: true,
    answer: one,
    act: async ({ context, userId, id: applicationId, body }) => {
      await getApplication(context, userId, applicationId)
      const fields = await body()
      if (Object.keys(fields).length === 0) {
        throw new UserError('Give at least one field to change')
      }
      return presentApplication(await updateApplication(context, userId, applicationId, fields))
    },
  }),
  operation({
    operationId: 'deleteApplication',
    at: `delete ${path}`,
    may: 'changes account',
    summary: 'Delete an application',
    description: 'Its tokens stop working, and it gets no more events.',
    answer: answers('The deleted application.', schemaOf('Application')),
    act: async ({ context, userId, id: applicationId }) => {
      const found = await getApplication(context, userId, applicationId)
      await deleteApplication(context, userId, applicationId)
      return presentApplication(found)
    },
  }),
  operation({
    operationId: 'rotateClientSecret',
    at: `post ${path}/rotate-secret`,
    may: 'changes account',
    summary: 'Create a new client secret',
    description: 'The old secret stops working immediately.',
    answer: answers('The secret. Shown only in this response.', object({ clientSecret: text })),
    refusals: [409],
    act: async ({ context, userId, id: applicationId }) => ({
      clientSecret: await rotateClientSecret(context, userId, applicationId),
    }),
  }),
]
