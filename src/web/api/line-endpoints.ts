import * as yup from 'yup'
import { sendHeldEvents } from '../../domain/deliveries/held-events.js'
import { NO_URL, revealSigningSecret, rotateSigningSecret } from '../../domain/signing-secrets.js'
import { readTestEventType, sendTestEvent } from '../../domain/test-event.js'
import { UserError } from '../../errors.js'
import { readBodyFields } from '../body-fields.js'
import { onOwn } from './owner-operation.js'

/** Answers what the endpoint did, also when it failed: that is what was asked. */
export const postLineTestEvent = onOwn('line', async (context, { userId, id, ctx }) => {
  const { type, listeners = false } = await readBodyFields(testEvent, ctx.request.body)
  return sendTestEvent(context, userId, id, readTestEventType(type), { listeners })
})

const testEvent = yup.object({
  type: yup.string().strict().typeError('type must be text'),
  listeners: yup.boolean().strict().typeError('listeners must be true or false'),
})

export const getLineSigningSecret = onOwn('line', async (context, { userId, id }) => {
  const signingSecret = await revealSigningSecret(context, userId, id)
  if (signingSecret === undefined) throw new UserError(NO_URL, 404)
  return { signingSecret }
})

/** The old secret signs too for 24 h. */
export const postLineSigningSecretRotation = onOwn('line', async (context, { userId, id }) => ({
  signingSecret: await rotateSigningSecret(context, userId, id),
}))

export const postLineHeldEvents = onOwn('line', async (context, { userId, id }) => ({
  count: await sendHeldEvents(context, userId, id),
}))
