import * as yup from 'yup'
import {
  NO_ENDPOINT_URL,
  revealApplicationSigningSecret,
  rotateApplicationSigningSecret,
  sendApplicationTestEvent,
  sendHeldApplicationEvents,
} from '../../domain/applications/endpoint.js'
import { findDeliveriesOfApplication } from '../../domain/endpoints/deliveries/delivery-history.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import { userOf } from '../middleware/authenticate.js'
import { answerList, pageParameters } from '../input/paging.js'
import { readQuery } from '../input/query.js'
import { onOwn, type Operation } from './owner-operation.js'
import { presentApplicationDelivery } from './presenters.js'

export const getApplicationSigningSecret = onOwn('application', async (context, { userId, id }) => {
  const signingSecret = await revealApplicationSigningSecret(context, userId, id)
  if (signingSecret === undefined) throw new UserError(NO_ENDPOINT_URL, 404)
  return { signingSecret }
})

/** The old secret signs too for 24 h. */
export const postApplicationSigningSecretRotation = onOwn('application', async (context, { userId, id }) => ({
  signingSecret: await rotateApplicationSigningSecret(context, userId, id),
}))

/** Answers what the webhook URL did, also when it failed. */
export const postApplicationTestEvent = onOwn('application', (context, { userId, id }) =>
  sendApplicationTestEvent(context, userId, id),
)

export const postApplicationHeldEvents = onOwn('application', async (context, { userId, id }) => ({
  count: await sendHeldApplicationEvents(context, userId, id),
}))

const parameters = yup.object(pageParameters)

export const getApplicationDeliveries: Operation = (context) => async (ctx) => {
  const id: unknown = ctx.params.applicationId
  if (!isId(id)) throw new UserError('no such application', 404)
  const { before, limit } = await readQuery(ctx, parameters, context.vocabulary)
  await answerList(
    context,
    ctx,
    'deliveries',
    { before, limit },
    (page) => findDeliveriesOfApplication(context, userOf(ctx), id, page),
    (delivery) => presentApplicationDelivery(context.vocabulary, delivery),
  )
}
