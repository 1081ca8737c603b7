import * as yup from 'yup'
import { getConnection } from '../../domain/lines/connection-overview.js'
import { changeConnection, disconnect } from '../../domain/lines/connections.js'
import type { Context } from '../../domain/context.js'
import { triggerEvent } from '../../domain/endpoints/test-event.js'
import { UserError } from '../../errors.js'
import { optInEventsField, readBodyFields } from '../input/body-fields.js'
import { onOwn } from './owner-operation.js'

const change = yup.object({
  enabled: yup.boolean().strict().typeError('enabled must be true or false'),
  outgoingWebhookUrl: yup
    .string()
    .strict()
    .nullable()
    .typeError('outgoingWebhookUrl must be a URL, or null to take it away'),
  optInEvents: optInEventsField,
})

/** Of a line that was never connected everything is empty, so that there is always something to show. */
export const getLineConnection = onOwn('line', (context, { userId, id }) =>
  presentConnection(context, userId, id),
)

/**
 * `{"enabled","outgoingWebhookUrl","optInEvents"}`, or some of them; what is left out stays.
 *
 * @throws UserError 400, 404, 409
 */
export const putLineConnection = onOwn('line', async (context, { userId, id, ctx }) => {
  const { enabled, outgoingWebhookUrl, optInEvents } = await readBodyFields(change, ctx.request.body)
  if ([enabled, outgoingWebhookUrl, optInEvents].every((field) => field === undefined)) {
    throw new UserError('give enabled, outgoingWebhookUrl, optInEvents or several of them')
  }
  await changeConnection(context, userId, id, { enabled, outgoingWebhookUrl, optInEvents })
  return presentConnection(context, userId, id)
})

/** Disconnects, which deletes the incoming webhook; answers what is left. */
export const deleteLineConnection = onOwn('line', async (context, { userId, id }) => {
  await disconnect(context, userId, id)
  return presentConnection(context, userId, id)
})

export async function presentConnection(context: Context, userId: string, lineId: string) {
  return { [context.vocabulary.idField]: lineId, ...(await getConnection(context, userId, lineId)) }
}

const trigger = yup.object({ type: yup.string().strict().typeError('type must be text') })

/** An example goes to the outgoing webhook and to whoever listens; answers what the webhook did. */
export const postTrigger = onOwn('line', async (context, { userId, id, ctx }) => {
  const { type } = await readBodyFields(trigger, ctx.request.body)
  return triggerEvent(context, userId, id, type)
})
