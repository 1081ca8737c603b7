import type { RouterMiddleware } from '@koa/router'
import type { Middleware } from 'koa'
import { answerCallback, isCallback } from '../../domain/carrier-callbacks.js'
import type { Context } from '../../domain/context.js'
import { pathOfOurs } from '../../telemetry/plain-line.js'
import { bodyBytesOf, isRecord, readFieldsBody } from '../middleware/json-body.js'
import type { RequestLogState } from '../middleware/request-log.js'
import { createPatience } from '../patience.js'

/**
 * Twilio waits 15 s for an answer, which needs time too, and by itself does not come again after a 5xx. As many as
 * `maxWaiting` wait; each has a connection and a body in memory, so with more of them a long outage would fill the process.
 */
const patiently = createPatience({ waitMs: 13_000, maxWaiting: 200 })

/**
 * As `readFieldsBody`, for a carrier, which would not repeat what we refuse: a text with U+FFFD in it is better than none.
 */
export function readCallbackBody(): Middleware {
  return readFieldsBody((bytes) => Buffer.from(bytes).toString())
}

/** Carriers' requests to us, form or JSON. Signatures are over the URL and the body as they came. */
export function answerCarrierCallback(context: Context): RouterMiddleware {
  return async (ctx) => {
    const { kind = '', accountId = '', name = '' } = ctx.params
    const { body } = ctx.request
    const request = {
      kind,
      accountId,
      name,
      path: ctx.originalUrl,
      body: bodyBytesOf(ctx),
      fields: isRecord(body) ? body : {},
      header: (header: string) => ctx.get(header),
    }
    // Besides words of ours there is this id in it, which an account has.
    if (isCallback(context, request) && context.callingAccounts.remembered(accountId) !== undefined) {
      ;(ctx.state as RequestLogState).plainPath = pathOfOurs(ctx.path)
    }
    const answer = await patiently(() => answerCallback(context, request))
    ctx.body = answer.body
    ctx.type = answer.type
  }
}
