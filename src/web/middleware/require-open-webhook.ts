import type { RouterMiddleware } from '@koa/router'
import type { OpenWebhook } from '../../database/incoming-webhooks.js'
import type { Context } from '../../domain/context.js'
import { isTokenOf } from '../../domain/incoming-webhooks.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import { setRateLimitHeaders } from '../rate-limit-headers.js'

export interface WebhookState {
  webhook: OpenWebhook
}

/** Checks 1 and 2 of contract §2: there is such a webhook, and this is its token. */
export function requireOpenWebhook(context: Context): RouterMiddleware {
  return async (ctx, next) => {
    const { lineId } = ctx.params
    const webhook = isId(lineId) ? await context.batched.findOpenWebhook(lineId) : undefined
    if (webhook === undefined) throw new UserError("URL doesn't exist", 404)

    const { token } = ctx.query
    if (typeof token !== 'string' || !isTokenOf(webhook, token)) throw new UserError('URL is invalid', 403)

    const { lineLimit: limit, lineUsed: used, lineOpensMs: opensMs } = webhook
    setRateLimitHeaders(ctx, { numberLimit: webhook.numberLimit, line: { limit, used, opensMs } })
    ;(ctx.state as WebhookState).webhook = webhook
    await next()
  }
}
