import type { Middleware } from 'koa'
import * as yup from 'yup'
import type { Context } from '../../domain/context.js'
import { readOutbox, simulateInbound } from '../../domain/simulator.js'
import { UserError } from '../../errors.js'

const inbound = yup.object({
  fromNumber: yup.string().strict().required(),
  toNumber: yup.string().strict().required(),
  messageId: yup
    .string()
    .strict()
    .max(255)
    .matches(/^[^\0]*$/, '${path} must not contain a NUL character'),
  text: yup.string().strict().max(10_000),
  mediaUrl: yup.string().strict().url().max(2048),
  voicemailUrl: yup.string().strict().url().max(2048),
})

/** The simulator's network brings a text, media or voicemail to a line (contract §8). A repeat says so. */
export function postInbound(context: Context): Middleware {
  return async (ctx) => {
    const outcome = await simulateInbound(context, await readInbound(ctx.request.body))
    ctx.body = outcome.kind === 'received' ? outcome : { kind: outcome.kind }
  }
}

/** What the simulator took, newest first; `toNumber` narrows it to one number. */
export function getOutbox(context: Context): Middleware {
  return async (ctx) => {
    const { toNumber } = ctx.query
    if (Array.isArray(toNumber)) throw new UserError('toNumber may be given once')
    // A plus sign in a query means a space to most parsers, and people forget to write %2B.
    ctx.body = await readOutbox(
      context,
      toNumber === undefined || toNumber === '' ? undefined : toNumber.replace(/^ /, '+'),
    )
  }
}

async function readInbound(body: unknown) {
  try {
    return await inbound.validate(body, { abortEarly: false })
  } catch (error) {
    if (error instanceof yup.ValidationError) throw new UserError(error.errors.join('; '))
    throw error
  }
}
