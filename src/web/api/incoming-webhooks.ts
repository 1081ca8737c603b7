import type { Middleware } from 'koa'
import type { RouterMiddleware } from '@koa/router'
import type { OpenIncomingWebhook } from '../../database/lines/incoming-webhooks.js'
import type { QueueAnswer } from '../../database/messages/queueing.js'
import type { Context } from '../../domain/context.js'
import { isTokenOf } from '../../domain/lines/incoming-webhooks.js'
import { countRefusal, namesOfRefusals } from '../../domain/messages/request-counts.js'
import { REFUSALS } from '../../domain/messages/submit/refusals.js'
import { submitToIncomingWebhook, type IncomingWebhookMessage } from '../../domain/messages/submit.js'
import { monthlyCapRefusal } from '../../domain/messages/spending/monthly-caps.js'
import { answerByRow, openRow, type OpenedRow } from '../../domain/row-cache.js'
import { capRefusal } from '../../domain/messages/spending/spend-caps.js'
import { Unavailable, UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import { sha256 } from '../../secrets.js'
import { pathOfOurs } from '../../telemetry/plain-line.js'
import { idempotencyKeyOf } from '../input/idempotency-key.js'
import type { BodyRefusals } from '../middleware/body-bytes.js'
import { isRecord } from '../middleware/json-body.js'
import type { RequestLogState } from '../middleware/request-log.js'
import { hasSendOptions, readOptionFields } from './send-options.js'
import { watchDisconnect } from '../listening/watch-disconnect.js'
import { retryAfterSeconds, setRateLimitHeaders } from '../rate-limit-headers.js'

/** The reasons for refusing a request. Clients compare these texts, so they must not change. */
export const REASONS = {
  intent: 'JSON body must contain an intent',
  data: 'JSON body must contain data',
  fields: 'JSON data field must contain a toNumber and text to send',
  tooLarge: 'Request body is too large',
  noWebhook: "URL doesn't exist",
  wrongToken: 'URL is invalid',
} as const

const REFUSAL_NAMES = namesOfRefusals({ ...REFUSALS, ...REASONS })

export const BODY_REFUSALS: BodyRefusals = { tooLarge: REASONS.tooLarge, unreadable: REASONS.intent }

/**
 * Accepts `{"intent":"message","data":{"toNumber","text"}}` → 200 `{"success":true}` and the header `Message-Id`,
 * once the message is committed. `docs/http.md` lists the checks in their order; the first that fails answers.
 */
export function acceptWebhookMessage(context: Context): Middleware {
  return async (ctx) => {
    const state = ctx.state as WebhookState
    const { webhook } = state
    const message = await readMessage(ctx.request.body)
    const idempotencyKey = idempotencyKeyOf(ctx)
    const answer = await submit(context, webhook, {
      ...message,
      idempotencyKey,
      hasDisconnected: watchDisconnect(ctx),
    })
    const { windows } = answer
    if (windows !== undefined) {
      setRateLimitHeaders(ctx, {
        numberLimit: windows.toNumber.limit,
        // The whole line was refused, so the number's own window is left out.
        ...(answer.outcome === 'line_full' ? {} : { toNumber: windows.toNumber }),
        line: windows.line,
      })
    }
    state.outcome = answer.outcome
    if (answer.outcome === 'over_monthly_cap') {
      const { lineId: id, userId } = webhook.row
      throw await monthlyCapRefusal(context, { id, userId }, REFUSALS.overMonthlyCap)
    }
    if (answer.outcome === 'rate_limited' && windows !== undefined) {
      ctx.set('Retry-After', String(retryAfterSeconds(windows.toNumber, windows.line)))
    }
    requireAccepted(answer, context.config.rateLimitStatus)
    ctx.set('Message-Id', answer.messageId ?? '')
    ctx.body = { success: true }
  }
}

/**
 * Counts the requests that are refused before the accepting statement has answered; the others are counted with its
 * answers.
 */
export const countRefusals: Middleware = async (ctx, next) => {
  try {
    await next()
  } catch (error) {
    const { outcome } = ctx.state as RequestLogState
    if (outcome === undefined) countRefusal('webhook', error, REFUSAL_NAMES)
    throw error
  }
}

/**
 * If a remembered row refuses the request, or the statement finds it changed, the request is judged again by the
 * current row.
 *
 * @throws UserError 404, 403 if the webhook is closed, or has another token, by now
 */
async function submit(
  context: Context,
  webhook: OpenedWebhook,
  message: IncomingWebhookMessage,
): Promise<QueueAnswer> {
  return answerByRow(webhook, 'The webhook', async () => {
    const answer = await submitToIncomingWebhook(context, webhook.row, message, webhook.tokenHash).catch(
      (error: unknown) => {
        if (webhook.mayBeOld && error instanceof UserError) return undefined
        throw error
      },
    )
    if (answer?.outcome === 'webhook_changed') return undefined
    if (answer !== undefined) webhook.mayBeOld = false
    return answer
  })
}

async function readMessage(body: unknown): Promise<Omit<IncomingWebhookMessage, 'idempotencyKey'>> {
  if (!isRecord(body) || body.intent !== 'message') throw new UserError(REASONS.intent)
  if (!isRecord(body.data)) throw new UserError(REASONS.data)
  const { toNumber, text } = body.data
  if (!isFilled(toNumber) || !isFilled(text)) throw new UserError(REASONS.fields)
  return { toNumber, text, ...(hasSendOptions(body.data) ? await readOptionFields(body.data) : {}) }
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function requireAccepted({ outcome }: QueueAnswer, rateLimitStatus: 403 | 429): void {
  switch (outcome) {
    case 'accepted':
    case 'replayed':
      return
    case 'rate_limited':
      throw new UserError(REFUSALS.rateLimited, rateLimitStatus)
    case 'over_cap':
      throw capRefusal(REFUSALS.overCap)
    case 'opted_out':
      throw new UserError(REFUSALS.optedOut, 403)
    case 'key_reused':
      throw new UserError(REFUSALS.keyReused, 422)
    case 'key_in_flight':
      throw new UserError(REFUSALS.keyInFlight, 409)
    case 'line_full':
      throw new Unavailable('Too many messages are waiting', 10)
    case 'refused':
    case 'webhook_changed':
    case 'not_connected':
    case 'over_monthly_cap':
      throw new Error(`unexpected outcome ${outcome}`)
  }
}

/** The webhook that a request has opened with its token. */
interface OpenedWebhook extends OpenedRow<OpenIncomingWebhook> {
  /** The SHA-256 of the token. */
  tokenHash: Buffer
}

interface WebhookState extends RequestLogState {
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

    const isToken = (row: OpenIncomingWebhook) => tokenHash !== undefined && isTokenOf(row, tokenHash)
    const lookUp = async (): Promise<OpenIncomingWebhook> => {
      const found = isId(lineId) ? await context.incomingWebhooks.lookUp(lineId) : undefined
      if (found === undefined) throw new UserError(REASONS.noWebhook, 404)
      if (!isToken(found)) throw new UserError(REASONS.wrongToken, 403)
      const { numberLimit, lineLimit: limit, lineUsed: used, lineOpensMs: opensMs } = found
      setRateLimitHeaders(ctx, { numberLimit, line: { limit, used, opensMs } })
      return found
    }

    const state = ctx.state as WebhookState
    const known = context.incomingWebhooks.remembered(lineId)
    // The path has only the route's words and this id, which is a line's, so it may be logged.
    if (known !== undefined) state.plainPath = pathOfOurs(ctx.path)
    const opened = Object.assign(await openRow(known, isToken, lookUp), { tokenHash: tokenHash ?? NO_HASH })
    state.webhook = opened
    try {
      await next()
    } catch (error) {
      if (opened.mayBeOld && error instanceof UserError) await opened.refresh()
      throw error
    }
  }
}

/** Replaces a missing token, and opens nothing. */
const NO_HASH = Buffer.alloc(32)
