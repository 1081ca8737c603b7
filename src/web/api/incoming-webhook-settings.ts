import * as yup from 'yup'
import {
  createIncomingWebhook,
  regenerateToken,
  removeIncomingWebhook,
  revealIncomingWebhook,
} from '../../domain/lines/incoming-webhooks.js'
import { getOwnLine } from '../../domain/lines/lines.js'
import { UserError } from '../../errors.js'
import { readBodyFields } from '../input/body-fields.js'
import { presentConnection } from './connections.js'
import { onOwn } from './owner-operation.js'

const regeneration = yup.object({
  overlapSeconds: yup.number().strict().typeError('overlapSeconds must be a whole number of seconds'),
})

export const getIncomingWebhook = onOwn('line', async (context, { userId, id }) => {
  const webhook = await revealIncomingWebhook(context, userId, id)
  if (webhook !== undefined) return webhook
  await getOwnLine(context, userId, id)
  throw new UserError('this line has no incoming webhook: create one first', 404)
})

export const postIncomingWebhook = onOwn('line', (context, { userId, id }) =>
  createIncomingWebhook(context, userId, id),
)

/** The old token ends at once, or after `overlapSeconds`. */
export const postTokenRegeneration = onOwn('line', async (context, { userId, id, ctx }) => {
  const { overlapSeconds } = await readBodyFields(regeneration, ctx.request.body)
  return regenerateToken(context, userId, id, overlapSeconds)
})

export const deleteIncomingWebhook = onOwn('line', async (context, { userId, id }) => {
  await removeIncomingWebhook(context, userId, id)
  return presentConnection(context, userId, id)
})
