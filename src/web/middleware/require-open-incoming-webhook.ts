import type { RouterMiddleware } from '@koa/router'
import type { OpenIncomingWebhook } from '../../database/incoming-webhooks.js'
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
  row: OpenIncomingWebhook
  /** SHA-256 of the token. */
  tokenHash: Buffer
  /** The row was not looked up for this request: the webhook may be closed by now, and its line another. */
  mayBeOld: boolean
  /** Looks the row up and judges webhook and token again. @throws UserError 404, 403 */
  refresh(): Promise<void>
}

export interface WebhookState extends RequestLogState {
  webhook: OpenedWebhook
}

/**
 * Checks that there is such a webhook (404), and that this is its token (403). A row that this process remembers saves the
 * look-up if the token opens it, and the accepting statement then checks whether it still does. Before anything is
 * refused, the row is looked up.
 */
export function requireOpenIncomingWebhook(context: Context): RouterMiddleware {
  return async (ctx, next) => {
    const { lineId = '' } = ctx.params
    const { token } = ctx.query
    const tokenHash = typeof token === 'string' ? sha256(token) : undefined

    const lookUp = async (): Promise<OpenIncomingWebhook> => {
      const found = isId(lineId) ? await context.incomingWebhooks.lookUp(lineId) : undefined
      if (found === undefined) throw new UserError("URL doesn't exist", 404)
      if (tokenHash === undefined || !isTokenOf(found, tokenHash)) throw new UserError('URL is invalid', 403)
      const { numberLimit, lineLimit: limit, lineUsed: used, lineOpensMs: opensMs } = found
      setRateLimitHeaders(ctx, { numberLimit, line: { limit, used, opensMs } })
      return found
    }

    const state = ctx.state as WebhookState
    const known = context.incomingWebhooks.remembered(lineId)
    // The path has only the route's words and this id, which is a line's, so it may be logged.
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

/** Stands for a missing token, which opens nothing. */
const NO_HASH = Buffer.alloc(32)
