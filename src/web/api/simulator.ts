import type { Middleware } from 'koa'
import * as yup from 'yup'
import type { Context } from '../../domain/context.js'
import { MAX_SIMULATED_MEDIA, readOutbox, simulateInbound } from '../../domain/simulator/simulator.js'
import { MAX_URL_LENGTH } from '../../safe-fetch.js'
import { readBodyFields, shortListOf, textField } from '../input/body-fields.js'
import { findUserOf } from '../middleware/authenticate.js'
import { numberParameter, readQuery } from '../input/query.js'

/** yup's `url` does not take localhost, but a developer who tries things out has the media on this machine. */
const mediaUrl = textField()
  .max(MAX_URL_LENGTH)
  .test('url', '${path} must be an http:// or https:// URL', (value) => !value || isWebUrl(value))

const LIST = `mediaUrls must be a list of at most ${MAX_SIMULATED_MEDIA} URLs`

const inbound = yup.object({
  fromNumber: textField().required(),
  toNumber: textField().required(),
  messageId: textField()
    .max(255)
    .matches(/^[^\0]*$/, '${path} must not contain a NUL character'),
  text: textField().max(10_000),
  mediaUrl,
  mediaUrls: shortListOf(mediaUrl.required(LIST), MAX_SIMULATED_MEDIA, LIST).min(
    1,
    'mediaUrls must have at least one URL',
  ),
  voicemailUrl: mediaUrl,
})

const outboxFilter = yup.object({ toNumber: numberParameter() })

/**
 * Delivers a text, media or voicemail from the simulator's network to a line. With a token it must be a line of the
 * token's user. The answer to a repeat says that it is one.
 */
export function postInbound(context: Context): Middleware {
  return async (ctx) => {
    const fields = await readBodyFields(inbound, ctx.request.body)
    const outcome = await simulateInbound(context, fields, findUserOf(ctx))
    ctx.body = outcome.kind === 'received' ? outcome : { kind: outcome.kind }
  }
}

/**
 * Lists the messages that the simulator took, newest first; `toNumber` narrows it to one number, a token to the lines
 * of its user.
 */
export function getOutbox(context: Context): Middleware {
  return async (ctx) => {
    const { toNumber } = await readQuery(ctx, outboxFilter, context.vocabulary)
    ctx.body = await readOutbox(context, toNumber, findUserOf(ctx))
  }
}

function isWebUrl(value: string): boolean {
  return /^https?:\/\//i.test(value) && URL.canParse(value)
}
