import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
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
  type Asker,
  type Endpoint,
  type EndpointOwner,
} from '../../domain/endpoints/endpoints.js'
import { changePolicy, getPolicy, previewPolicy } from '../../domain/endpoints/policies.js'
import { revealSigningSecret, rotateSigningSecret } from '../../domain/endpoints/signing-secrets.js'
import { sendTestEvent } from '../../domain/endpoints/test-event.js'
import { ownerOf, pauseEndpoint, resumeEndpoint } from '../../domain/operating/pauses.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import { actingFor } from '../actor.js'
import { optInEventsField, readBodyFields } from '../input/body-fields.js'
import { answerList, pageParameters } from '../input/paging.js'
import { idParameter, readQuery, wordParameter } from '../input/query.js'
import { applicationOf, lineOfToken, userOf } from '../middleware/authenticate.js'
import { requireLineOfToken } from './line-access.js'
import type { Operation } from './owner-operation.js'
import { presentApplicationDelivery, presentDelivery, presentEndpoint } from './presenters.js'

export interface EndpointRequest {
  asker: Asker
  /** As the path has it. Whether it is the asker's is the domain's to say. */
  id: string
  ctx: KoaContext
}

/** An application has its own endpoint; everybody else those of their lines and applications. */
export function askerOf(ctx: KoaContext): Asker {
  const application = applicationOf(ctx)
  if (application !== undefined) return { applicationId: application.id }
  return { userId: userOf(ctx), lineId: lineOfToken(ctx) }
}

/** An operation on the endpoint that the path names; what it gives is the answer. */
export function onEndpoint(
  answer: (context: Context, asked: EndpointRequest) => Promise<unknown>,
): Operation {
  return (context) => async (ctx) => {
    const { endpointId: id = '' } = ctx.params as { endpointId?: string }
    ctx.body = await answer(actingFor(ctx, context), { asker: askerOf(ctx), id: id.toLowerCase(), ctx })
  }
}

/** As `onEndpoint`; the answer is the endpoint as it is then. */
function onEndpointNow(act: (context: Context, asked: EndpointRequest) => Promise<Endpoint>): Operation {
  return onEndpoint(async (context, asked) => presentEndpoint(context.vocabulary, await act(context, asked)))
}

const owners = { applicationId: idParameter() }

export const getEndpoints: Operation = (context) => {
  const { vocabulary } = context
  const parameters = yup.object({
    ...owners,
    [vocabulary.idField]: idParameter(),
    state: wordParameter(ENDPOINT_STATES),
  })
  return async (ctx) => {
    const asked = await readQuery(ctx, parameters, vocabulary)
    const endpoints = await listEndpoints(context, askerOf(ctx), asked)
    ctx.body = endpoints.map((each) => presentEndpoint(vocabulary, each))
  }
}

const fields = {
  name: yup.string().strict().nullable().typeError('name must be text, or null for none'),
  url: yup.string().strict().typeError('url must be a URL'),
  optInEvents: optInEventsField,
}

/** Answers its secret too. */
export const postEndpoint: Operation = (context) => {
  const { idField } = context.vocabulary
  const id = (name: string) => yup.string().strict().typeError(`${name} must be an id (a UUID)`)
  const added = yup.object({ ...fields, [idField]: id(idField), applicationId: id('applicationId') })
  return async (ctx) => {
    const {
      applicationId,
      [idField]: lineId,
      ...written
    } = (await readBodyFields(added, ctx.request.body)) as Record<string, string | undefined>
    const owner = readOwner(ctx, idField, { lineId, applicationId })
    const acting = actingFor(ctx, context)
    const { endpoint, signingSecret } = await addEndpoint(acting, userOf(ctx), owner, written)
    ctx.body = { ...presentEndpoint(context.vocabulary, endpoint), signingSecret }
  }
}

/** @throws UserError 400, 404 for what is none, or not of the line that the token is for */
function readOwner(
  ctx: KoaContext,
  idField: string,
  { lineId, applicationId }: { lineId?: string | undefined; applicationId?: string | undefined },
): EndpointOwner {
  if (lineId !== undefined && applicationId !== undefined) {
    throw new UserError(
      `give ${idField} or applicationId, or neither for an operational webhook of your account`,
    )
  }
  if (lineId !== undefined) {
    if (!isId(lineId)) throw new UserError('no such line', 404)
    requireLineOfToken(ctx, lineId)
    return { lineId: lineId.toLowerCase() }
  }
  if (lineOfToken(ctx) !== undefined) {
    throw new UserError(`${idField} is missing: this token is for one ${idField.replace(/Id$/, '')}`)
  }
  if (applicationId === undefined) return { isOfAccount: true }
  if (!isId(applicationId)) throw new UserError('no such application', 404)
  return { applicationId: applicationId.toLowerCase() }
}

export const getOneEndpoint = onEndpointNow((context, { asker, id }) => getEndpoint(context, asker, id))

/** What is left out stays. */
export const patchEndpoint = onEndpointNow(async (context, { asker, id, ctx }) => {
  await getEndpoint(context, asker, id)
  return changeEndpoint(context, asker, id, await readBodyFields(yup.object(fields), ctx.request.body))
})

/** Answers what it was. */
export const deleteOneEndpoint = onEndpointNow((context, { asker, id }) => deleteEndpoint(context, asker, id))

export const postEndpointEnabling = onEndpointNow((context, { asker, id }) =>
  enableEndpoint(context, asker, id),
)

// A program does what its user may do as the owner, also if that is an operator.

export const postEndpointPause = onEndpointNow(async (context, { asker, id, ctx }) => {
  await pauseEndpoint(context, ownerOf(userOf(ctx)), await getEndpoint(context, asker, id))
  return getEndpoint(context, asker, id)
})

/** @throws UserError 403 when an operator has paused it */
export const postEndpointResumption = onEndpointNow(async (context, { asker, id, ctx }) => {
  await resumeEndpoint(context, ownerOf(userOf(ctx)), await getEndpoint(context, asker, id))
  return getEndpoint(context, asker, id)
})

const testEvent = yup.object({ type: yup.string().strict().typeError('type must be text') })

/** Answers what the endpoint did, also when it failed: that is what was asked. */
export const postTestEvent = onEndpoint(async (context, { asker, id, ctx }) => {
  await getEndpoint(context, asker, id)
  const { type } = await readBodyFields(testEvent, ctx.request.body)
  return sendTestEvent(context, asker, id, type)
})

export const postEndpointNow = onEndpoint(async (context, { asker, id }) => ({
  count: await tryEndpointNow(context, asker, id),
}))

export const postHeldEvents = onEndpoint(async (context, { asker, id }) => ({
  count: await sendHeldEvents(context, asker, id),
}))

export const getSigningSecret = onEndpoint(async (context, { asker, id }) => ({
  signingSecret: await revealSigningSecret(context, asker, id),
}))

/** The old secret signs too for 24 h. */
export const postSecretRotation = onEndpoint(async (context, { asker, id }) => ({
  signingSecret: await rotateSigningSecret(context, asker, id),
}))

export const getEndpointPolicy = onEndpoint((context, { asker, id }) => getPolicy(context, asker, id))

/** JSON Merge Patch (RFC 7396): what is left out stays, and null stands for the default. */
export const patchEndpointPolicy = onEndpoint((context, { asker, id, ctx }) =>
  changePolicy(context, asker, id, ctx.request.body as Record<string, unknown>),
)

/** Nothing is saved. */
export const postPolicyPreview = onEndpoint(async (context, { asker, id, ctx }) => {
  const written = ctx.request.body as Record<string, unknown>
  const { contentType, body, isSample } = await previewPolicy(context, asker, id, written)
  return { contentType, body, isSample }
})

/** Of an application's endpoint only how each went, and not what was said on somebody else's line. */
export const getEndpointDeliveries: Operation = (context) => async (ctx) => {
  const { endpointId = '' } = ctx.params as { endpointId?: string }
  const endpoint = await getEndpoint(context, askerOf(ctx), endpointId)
  const { before, limit } = await readQuery(ctx, yup.object(pageParameters), context.vocabulary)
  const { id, userId, lineId, applicationId } = endpoint
  if (applicationId === null) {
    await answerList(
      context,
      ctx,
      'deliveries',
      { before, limit },
      (page) =>
        lineId === null
          ? listAccountDeliveries(context.db, userId, { endpointId: id }, page)
          : listDeliveries(context.db, userId, { lineId, endpointId: id }, page),
      (delivery) => presentDelivery(context.vocabulary, delivery),
    )
    return
  }
  await answerList(
    context,
    ctx,
    'deliveries',
    { before, limit },
    (page) => findDeliveriesOfApplication(context, userId, applicationId, page),
    (delivery) => presentApplicationDelivery(context.vocabulary, delivery),
  )
}
