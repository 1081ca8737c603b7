import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import { ENDPOINT_FIELDS } from '../../database/endpoints/endpoints.js'
import { listAccountDeliveries, listDeliveries } from '../../database/endpoints/deliveries/reading.js'
import type { Context } from '../../domain/context.js'
import { findDeliveriesOfApplication } from '../../domain/endpoints/deliveries/delivery-history.js'
import { ENDPOINT_STATES } from '../../domain/endpoints/deliveries/endpoint-state.js'
import { sendHeldEvents } from '../../domain/endpoints/deliveries/held-events.js'
import { tryEndpointNow } from '../../domain/endpoints/deliveries/try-now.js'
import {
  addEndpoint,
  changeEndpoint,
  deleteEndpoint,
  enableEndpoint,
  getEndpoint,
  listEndpoints,
  MAX_LINE_ENDPOINTS,
  type EndpointCaller,
  type Endpoint,
  type EndpointOwner,
} from '../../domain/endpoints/endpoints.js'
import { revealSigningSecret, rotateSigningSecret } from '../../domain/endpoints/signing-secrets.js'
import { MAX_OVERLAP_SECONDS } from '../../domain/overlap.js'
import { sendTestEvent } from '../../domain/endpoints/test-event.js'
import { ownerOf, pauseEndpoint, resumeEndpoint } from '../../domain/operating/pauses.js'
import { UserError } from '../../errors.js'
import { ALL_EVENT_TYPES, OPT_IN_EVENT_TYPES } from '../../event-types.js'
import { isId } from '../../ids.js'
import { optInEventsField, overlapField, textField } from '../input/body-fields.js'
import { answerList, pageParameters } from '../input/paging.js'
import { idParameter, wordParameter } from '../input/query.js'
import { applicationOf, lineOfToken, userOf } from '../middleware/authenticate.js'
import {
  answers,
  answersList,
  count,
  describe,
  flag,
  givenUrl,
  id,
  listOf,
  maybeText,
  name,
  nextPage,
  object,
  oneOf,
  schemaOf,
  shownOf,
} from '../openapi/parts.js'
import { requireLineOfToken } from './line-access.js'
import { operationsOf, type OperationCall, type Definition, type Operation } from './operation.js'
import { presentApplicationDelivery, presentDelivery, presentEndpoint } from './presenters.js'

const endpoint = shownOf(ENDPOINT_FIELDS)

export const endpointSchemas = {
  Endpoint: object(endpoint),
  AddedEndpoint: object({
    ...endpoint,
    signingSecret: describe({ type: 'string', pattern: '^whsec_' }, 'The secret that signs the events.'),
  }),
  SigningSecret: object({ signingSecret: { type: 'string', pattern: '^whsec_' } }),
  TestEventResult: object({
    delivered: flag,
    responseStatus: { type: ['integer', 'null'] },
    failure: describe(maybeText, 'The name of the failure, such as `timeout` or `http_500`.'),
    durationMs: count,
    responseExcerpt: maybeText,
  }),
}

/** An application has its own endpoint; other callers have those of their lines and applications. */
export function callerOf(ctx: KoaContext): EndpointCaller {
  const application = applicationOf(ctx)
  if (application !== undefined) return { applicationId: application.id }
  return { userId: userOf(ctx), lineId: lineOfToken(ctx) }
}

/**
 * Returns the caller for what only the developer of an application should see and do: its webhook URL, its server's
 * responses, and the events of all its users.
 *
 * @throws UserError 403 for a public application, because every user of it has one of its tokens at hand
 */
function developerOf(ctx: KoaContext): EndpointCaller {
  if (applicationOf(ctx)?.kind === 'public') {
    throw new UserError(
      'A public application cannot do this. Its developer can, with their own API token or in the console',
      403,
    )
  }
  return callerOf(ctx)
}

const NOT_PUBLIC = 'A public application gets 403, because its users have its tokens.'

const operation = operationsOf('Endpoints')
const scopes = ['messages:connect'] as const
const one = '/v1/endpoints/{endpointId}'
const shown = answers('The endpoint.', schemaOf('Endpoint'))

const fields = {
  name: textField('name must be text, or null to remove it')
    .nullable()
    // An empty name means none, as null does.
    .meta({ schema: { anyOf: [name, { type: 'null' }, { const: '' }] } }),
  url: textField('url must be a URL').meta({ schema: givenUrl }),
  optInEvents: optInEventsField(OPT_IN_EVENT_TYPES).meta({
    about:
      'The events it gets in addition to received messages. `lineDisconnected` is for applications only.',
  }),
}

const addedId = () => textField('${path} must be an ID (a UUID)')

const added = yup.object({
  lineId: addedId().meta({ schema: id, about: 'The {line} it gets events from.' }),
  applicationId: addedId().meta({ schema: id, about: 'The application that the webhook belongs to.' }),
  ...fields,
  url: fields.url.defined('url is required. Give the URL of your server'),
})

type Act<Done> = Pick<Definition<object, object>, 'operationId' | 'summary' | 'description'> & {
  act: string
  work: (context: Context, caller: EndpointCaller, id: string, call: OperationCall) => Promise<Done>
}

/** Makes an operation that answers with the changed endpoint. */
function actOn({ act, work, ...given }: Act<Endpoint>): Operation {
  return operation({
    ...given,
    at: `post ${one}/${act}`,
    may: 'changes lines',
    answer: shown,
    act: async (call) =>
      presentEndpoint(call.context, await work(call.context, developerOf(call.ctx), call.id, call)),
  })
}

/** A program acts as its user, the owner, even if that is an operator. */
function asOwner(act: typeof pauseEndpoint): Act<Endpoint>['work'] {
  return async (context, caller, id, { userId }) => {
    await act(context, ownerOf(userId), await getEndpoint(context, caller, id))
    return getEndpoint(context, caller, id)
  }
}

/** Makes an operation that answers with the number of its events. */
function actOnMany({ act, counted, work, ...given }: Act<number> & { counted: string }): Operation {
  return operation({
    ...given,
    at: `post ${one}/${act}`,
    may: 'changes lines',
    scopes,
    answer: answers(counted, object({ count })),
    refusals: [409],
    act: async (call) => ({ count: await work(call.context, developerOf(call.ctx), call.id, call) }),
  })
}

export const endpointOperations = [
  operation({
    operationId: 'listEndpoints',
    at: 'get /v1/endpoints',
    may: 'reads lines',
    scopes,
    summary: 'List the endpoints of your {lines}, your applications and your account',
    description: `A {line}'s outgoing webhook comes first. An application sees its own endpoint. ${NOT_PUBLIC}`,
    query: yup.object({
      lineId: idParameter().meta({ about: 'Only endpoints of this {line}.' }),
      applicationId: idParameter().meta({ about: 'Only the endpoint of this application.' }),
      state: wordParameter(ENDPOINT_STATES).meta({ about: 'Only endpoints in this state.' }),
    }),
    answer: answers('All matching endpoints.', listOf(schemaOf('Endpoint'))),
    act: async ({ context, ctx, query }) => {
      const endpoints = await listEndpoints(context, developerOf(ctx), await query())
      return endpoints.map((each) => presentEndpoint(context, each))
    },
  }),
  operation({
    operationId: 'addEndpoint',
    at: 'post /v1/endpoints',
    may: 'changes lines',
    summary: 'Add an endpoint to a {line}, an application that has none, or your account',
    description:
      'It gets every new event, signed with its own secret. In addition to its outgoing webhook, a {line} can have ' +
      `${MAX_LINE_ENDPOINTS}, and its developer connection must be enabled. Without {line}Id and applicationId it is an ` +
      'operational webhook of your account, which gets your notifications.',
    body: added,
    answer: answers('The endpoint with its secret.', schemaOf('AddedEndpoint')),
    refusals: [404, 409],
    act: async ({ context, ctx, userId, body }) => {
      const { lineId, applicationId, ...written } = await body()
      const owner = readOwner(ctx, context.vocabulary.idField, { lineId, applicationId })
      const { endpoint: found, signingSecret } = await addEndpoint(context, userId, owner, written)
      return { ...presentEndpoint(context, found), signingSecret }
    },
  }),
  operation({
    operationId: 'getEndpoint',
    at: `get ${one}`,
    may: 'reads lines',
    scopes,
    summary: 'Get an endpoint',
    description: `Includes its health. ${NOT_PUBLIC}`,
    answer: shown,
    act: async (call) =>
      presentEndpoint(call.context, await getEndpoint(call.context, developerOf(call.ctx), call.id)),
  }),
  operation({
    operationId: 'changeEndpoint',
    at: `patch ${one}`,
    may: 'changes lines',
    summary: 'Change an endpoint',
    description:
      'Give at least one field. Omitted fields stay unchanged. If you change the URL, the secret stays the same and held events go to the new URL.',
    body: yup.object(fields),
    needsField: true,
    answer: shown,
    act: async (call) => {
      const { context, id } = call
      const caller = developerOf(call.ctx)
      await getEndpoint(context, caller, id)
      return presentEndpoint(context, await changeEndpoint(context, caller, id, await call.body()))
    },
  }),
  operation({
    operationId: 'deleteEndpoint',
    at: `delete ${one}`,
    may: 'changes lines',
    summary: 'Delete an endpoint',
    description: 'It gets no more events, and its waiting events become `exhausted`.',
    answer: answers('The deleted endpoint.', schemaOf('Endpoint')),
    act: async (call) =>
      presentEndpoint(call.context, await deleteEndpoint(call.context, developerOf(call.ctx), call.id)),
  }),
  operation({
    operationId: 'sendTestEvent',
    at: `post ${one}/test-event`,
    may: 'changes lines',
    scopes,
    summary: 'Send a test event to an endpoint',
    description:
      'The event is sent immediately, and only once. The response is 200 even if that fails, and contains the result. ' +
      `The payload is an example of the type. Without a type, the first type that the endpoint gets is used. ${NOT_PUBLIC}`,
    body: yup.object({ type: textField('type must be text').meta({ schema: oneOf(...ALL_EVENT_TYPES) }) }),
    answer: answers('The result.', schemaOf('TestEventResult')),
    refusals: [409],
    act: async ({ context, ctx, id, body }) => {
      const caller = developerOf(ctx)
      await getEndpoint(context, caller, id)
      const { type } = await body()
      return sendTestEvent(context, caller, id, type)
    },
  }),
  actOn({
    act: 'enable',
    operationId: 'enableEndpoint',
    summary: 'Enable an endpoint again',
    description: 'For endpoints that were disabled after failing. Held events stay held until you send them.',
    work: enableEndpoint,
  }),
  actOn({
    act: 'pause',
    operationId: 'pauseEndpoint',
    summary: "Pause an endpoint's events",
    description: 'Events wait without using up attempts. Test events are still sent.',
    work: asOwner(pauseEndpoint),
  }),
  actOn({
    act: 'resume',
    operationId: 'resumeEndpoint',
    summary: "Resume an endpoint's events",
    description: 'Waiting events are sent shortly, in order. Returns 403 if an operator paused them.',
    work: asOwner(resumeEndpoint),
  }),
  actOnMany({
    act: 'try-now',
    counted: 'The number of events being retried.',
    operationId: 'tryEndpointNow',
    summary: 'Retry all waiting events now',
    description: `Use this when your server works again. Refused while events are paused or the endpoint is disabled. ${NOT_PUBLIC}`,
    work: tryEndpointNow,
  }),
  actOnMany({
    act: 'send-held-events',
    counted: 'The number of events being sent.',
    operationId: 'sendHeldEvents',
    summary: 'Send the events that were held while the endpoint was disabled',
    description: `Sent oldest first. Refused while the endpoint is still disabled. ${NOT_PUBLIC}`,
    work: sendHeldEvents,
  }),
  operation({
    operationId: 'getSigningSecret',
    at: `get ${one}/signing-secret`,
    may: 'reveals lines',
    summary: 'Get the secret that signs events',
    description: 'Your server verifies events with it (Standard Webhooks).',
    answer: answers('The secret.', schemaOf('SigningSecret')),
    act: async ({ context, ctx, id }) => ({
      signingSecret: await revealSigningSecret(context, developerOf(ctx), id),
    }),
  }),
  operation({
    operationId: 'rotateSecret',
    at: `post ${one}/rotate-secret`,
    may: 'changes lines',
    summary: 'Create a new signing secret',
    description:
      'Events are also signed with the old secret for 24 hours, or for `overlapSeconds`. During that time, only `0` rotates ' +
      'it again; otherwise the response is 409.',
    body: yup.object({
      overlapSeconds: overlapField(
        MAX_OVERLAP_SECONDS,
        'How long events are also signed with the old secret. With 0, only the new one is valid.',
      ),
    }),
    answer: answers('The secret.', schemaOf('SigningSecret')),
    refusals: [409],
    act: async ({ context, ctx, id, body }) => ({
      signingSecret: await rotateSigningSecret(context, developerOf(ctx), id, await body()),
    }),
  }),
  operation({
    operationId: 'listDeliveriesOfEndpoint',
    at: `get ${one}/deliveries`,
    may: 'reads lines',
    summary: 'List the deliveries to an endpoint',
    description: "Newest first. An application's deliveries do not include the content of messages.",
    query: yup.object(pageParameters),
    answer: answersList(
      'A page of deliveries, or all of them as CSV.',
      { anyOf: [schemaOf('Delivery'), schemaOf('ApplicationDelivery')] },
      nextPage,
    ),
    act: async (call) => {
      const { context } = call
      const { id, userId, lineId, applicationId } = await getEndpoint(context, developerOf(call.ctx), call.id)
      const page = await call.query()
      if (applicationId !== null) {
        await answerList(
          call,
          'deliveries',
          page,
          (each) => findDeliveriesOfApplication(context, userId, applicationId, each),
          (delivery) => presentApplicationDelivery(context, delivery),
        )
        return
      }
      await answerList(
        call,
        'deliveries',
        page,
        (each) =>
          lineId === null
            ? listAccountDeliveries(context.db, userId, { endpointId: id }, each)
            : listDeliveries(context.db, userId, { lineId, endpointId: id }, each),
        (delivery) => presentDelivery(context, delivery),
      )
    },
  }),
]

/** @throws UserError 400, 404 if it does not exist, or does not belong to the line of the token */
function readOwner(
  ctx: KoaContext,
  idField: string,
  { lineId, applicationId }: { lineId: string | undefined; applicationId: string | undefined },
): EndpointOwner {
  if (lineId !== undefined && applicationId !== undefined) {
    throw new UserError(
      `Give ${idField} or applicationId, or neither to create an operational webhook for your account`,
    )
  }
  if (lineId !== undefined) {
    if (!isId(lineId)) throw new UserError('No such line', 404)
    requireLineOfToken(ctx, lineId)
    return { lineId: lineId.toLowerCase() }
  }
  if (lineOfToken(ctx) !== undefined) {
    throw new UserError(`${idField} is required: this token is limited to one ${idField.replace(/Id$/, '')}`)
  }
  if (applicationId === undefined) return { isOfAccount: true }
  if (!isId(applicationId)) throw new UserError('No such application', 404)
  return { applicationId: applicationId.toLowerCase() }
}
