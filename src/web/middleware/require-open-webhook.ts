import type { RouterMiddleware } from '@koa/router'
import type { OpenWebhook } from '../../database/incoming-webhooks.js'
import type { Context } from '../../domain/context.js'
import { isTokenOf } from '../../domain/incoming-webhooks.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import { sha256 } from '../../secrets.js'
import { pathOfOurs } from '../../telemetry/plain-line.js'
import { setRateLimitHeaders } from '../rate-limit-headers.js'
import type { RequestLogState } from './request-log.js'

/** The webhook that a request has opened with its token. */
export interface OpenedWebhook {
  row: OpenWebhook
  /** SHA-256 of the token. */
  tokenHash: Buffer
  /** The row was not looked up for this request: the webhook may be closed by now, and its line another. */
  mayBeOld: boolean
  /** Looks the row up: checks 1 and 2 as they come out now. @throws UserError 404, 403 */
  refresh(): Promise<void>
}

export interface WebhookState extends RequestLogState {
  webhook: OpenedWebhook
}

/**
 * Checks 1 and 2 of contract §2: there is such a webhook, and this is its token. A row that this process remembers
 * spares the look-up, as long as the token opens it. Then the accepting statement looks whether it still does; before
 * anything is refused the row is looked up after all.
 */
export function requireOpenWebhook(context: Context): RouterMiddleware {
  return async (ctx, next) => {
    const { lineId = '' } = ctx.params
    const { token } = ctx.query
    const tokenHash = typeof token === 'string' ? sha256(token) : undefined

    const lookUp = async (): Promise<OpenWebhook> => {
      const found = isId(lineId) ? await context.webhooks.lookUp(lineId) : undefined
      if (found === undefined) throw new UserError("URL doesn't exist", 404)
      if (tokenHash === undefined || !isTokenOf(found, tokenHash)) throw new UserError('URL is invalid', 403)
      const { numberLimit, lineLimit: limit, lineUsed: used, lineOpensMs: opensMs } = found
      setRateLimitHeaders(ctx, { numberLimit, line: { limit, used, opensMs } })
      return found
    }

    const state = ctx.state as WebhookState
    const known = context.webhooks.remembered(lineId)
    // Besides the route's words there is this id in it, which a line has.
    if (known !== undefined) state.plainPath = pathOfOurs(ctx.path)
    const mayBeOld = known !== undefined && tokenHash !== undefined && isTokenOf(known, tokenHash)
    const opened: OpenedWebhook = {
      row: mayBeOld ? known : await lookUp(),
      tokenHash: tokenHash ?? NO_HASH,
      mayBeOld,
      refresh: async () => {
        opened.row = await lookUp()
        opened.mayBeOld = false
      },
    }
    state.webhook = opened
    try {
      await next()
    } catch (error) {
      if (opened.mayBeOld && error instanceof UserError) await opened.refresh()
      throw error
    }
  }
}

/** Of no token; nothing is opened without one. */
const NO_HASH = Buffer.alloc(32)
