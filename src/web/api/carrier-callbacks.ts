import type { RouterMiddleware } from '@koa/router'
import type { TwilioCallbackName } from '../../carriers/twilio/callback-urls.js'
import type { CallbackParameters } from '../../carriers/twilio/signature.js'
import { answerTwilio } from '../../domain/carrier-callbacks.js'
import type { Context } from '../../domain/context.js'
import { pathOfOurs } from '../../telemetry/plain-line.js'
import { bodyBytesOf, isRecord } from '../middleware/json-body.js'
import type { RequestLogState } from '../middleware/request-log.js'
import { createPatience } from '../patience.js'

/** Twilio waits 15 s for an answer, and does not come again after a 5xx; the answer needs its time too. */
const patiently = createPatience({ waitMs: 13_000, maxWaiting: 200 })

/** Twilio's requests to us, form or JSON; the answer is TwiML. Signatures are over the URL and the body as they came. */
export function answerTwilioCallback(context: Context, name: TwilioCallbackName): RouterMiddleware {
  return async (ctx) => {
    const request = {
      accountId: ctx.params.accountId ?? '',
      path: ctx.originalUrl,
      signature: ctx.get('X-Twilio-Signature'),
      body: bodyBytesOf(ctx),
      parameters: readParameters(ctx.request.body),
    }
    // Besides the route's words there is this id in it, which an account has.
    if (context.twilioAccounts.remembered(request.accountId) !== undefined) {
      ;(ctx.state as RequestLogState).plainPath = pathOfOurs(ctx.path)
    }
    ctx.body = await patiently(() => answerTwilio(context, name, request))
    ctx.type = 'text/xml'
  }
}

/** What is neither a text nor a list of texts is no parameter of Twilio's. */
function readParameters(body: unknown): CallbackParameters {
  return Object.fromEntries(
    Object.entries(isRecord(body) ? body : {}).filter(
      (field): field is [string, string | string[]] =>
        isText(field[1]) || (Array.isArray(field[1]) && field[1].every(isText)),
    ),
  )
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
