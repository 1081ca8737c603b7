import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import { listDeliveries } from '../../database/endpoints/deliveries/reading.js'
import type { Context } from '../../domain/context.js'
import { sendHeldEvents } from '../../domain/endpoints/deliveries/held-events.js'
import {
  addLineEndpoint,
  changeLineEndpoint,
  deleteLineEndpoint,
  enableLineEndpoint,
  getLineEndpoint,
  listLineEndpoints,
  type LineEndpoint,
} from '../../domain/endpoints/line-endpoints.js'
import { NO_URL, revealSigningSecret, rotateSigningSecret } from '../../domain/endpoints/signing-secrets.js'
import { readTestEventType, sendTestEvent } from '../../domain/endpoints/test-event.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import { optInEventsField, readBodyFields } from '../input/body-fields.js'
import { userOf } from '../middleware/authenticate.js'
import { answerList, pageParameters } from '../input/paging.js'
import { readQuery } from '../input/query.js'
import { onOwn, type Operation } from './owner-operation.js'
import { presentDelivery, presentLineEndpoint } from './presenters.js'

// Operations on an endpoint are of the line's outgoing webhook URL, or of a further endpoint where the path names one.

/** Answers what the endpoint did, also when it failed: that is what was asked. */
export const postLineTestEvent = onOwn('line', async (context, { userId, id, furtherId, ctx }) => {
  const { type, listeners = false } = await readBodyFields(testEvent, ctx.request.body)
  return sendTestEvent(context, userId, id, readTestEventType(type), { furtherId, listeners })
})

const testEvent = yup.object({
  type: yup.string().strict().typeError('type must be text'),
  listeners: yup.boolean().strict().typeError('listeners must be true or false'),
})

export const getLineSigningSecret = onOwn('line', async (context, { userId, id, furtherId }) => {
  const signingSecret = await revealSigningSecret(context, userId, id, furtherId)
  if (signingSecret === undefined) throw new UserError(NO_URL, 404)
  return { signingSecret }
})

/** The old secret signs too for 24 h. */
export const postLineSigningSecretRotation = onOwn('line', async (context, { userId, id, furtherId }) => ({
  signingSecret: await rotateSigningSecret(context, userId, id, furtherId),
}))

export const postLineHeldEvents = onOwn('line', async (context, { userId, id, furtherId }) => ({
  count: await sendHeldEvents(context, userId, id, furtherId),
}))

const written = yup.object({
  name: yup.string().strict().nullable().typeError('name must be text, or null for none'),
  url: yup.string().strict().typeError('url must be a URL'),
  optInEvents: optInEventsField,
})

export const getLineEndpoints = onOwn('line', async (context, { userId, id }) =>
  (await listLineEndpoints(context, userId, id)).map((each) => presentLineEndpoint(context.vocabulary, each)),
)

/** Answers its secret too. */
export const postLineEndpoint = onOwn('line', async (context, { userId, id, ctx }) => {
  const fields = await readBodyFields(written, ctx.request.body)
  const { endpoint, signingSecret } = await addLineEndpoint(context, userId, id, fields)
  return { ...presentLineEndpoint(context.vocabulary, endpoint), signingSecret }
})

export const getOneLineEndpoint = onFurther(getLineEndpoint)

/** What is left out stays. */
export const patchLineEndpoint = onFurther(async (context, userId, lineId, endpointId, ctx) => {
  const fields = await readBodyFields(written, ctx.request.body)
  return changeLineEndpoint(context, userId, lineId, endpointId, fields)
})

/** Answers what it was. */
export const deleteOneLineEndpoint = onFurther(deleteLineEndpoint)

export const postLineEndpointEnabling = onFurther(enableLineEndpoint)

export const getLineEndpointDeliveries: Operation = (context) => async (ctx) => {
  const { lineId, endpointId = '' } = ctx.params as { lineId?: string; endpointId?: string }
  if (!isId(lineId)) throw new UserError('no such line', 404)
  const { before, limit } = await readQuery(ctx, yup.object(pageParameters), context.vocabulary)
  const userId = userOf(ctx)
  const { id } = await getLineEndpoint(context, userId, lineId, endpointId)
  await answerList(
    context,
    ctx,
    'deliveries',
    { before, limit },
    (page) => listDeliveries(context.db, userId, { lineId, endpointId: id }, page),
    (delivery) => presentDelivery(context.vocabulary, delivery),
  )
}

/** An operation on a further endpoint, which is answered as it is then. */
function onFurther(
  act: (
    context: Context,
    userId: string,
    lineId: string,
    endpointId: string,
    ctx: KoaContext,
  ) => Promise<LineEndpoint>,
): Operation {
  return onOwn('line', async (context, { userId, id, furtherId = '', ctx }) =>
    presentLineEndpoint(context.vocabulary, await act(context, userId, id, furtherId, ctx)),
  )
}
