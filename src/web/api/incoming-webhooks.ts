import type { Middleware } from 'koa'
import type { QueueAnswer } from '../../database/messages/queueing.js'
import type { Context } from '../../domain/context.js'
import {
  REFUSALS,
  submitToIncomingWebhook,
  type IncomingWebhookMessage,
} from '../../domain/messages/submit.js'
import { Unavailable, UserError } from '../../errors.js'
import type { BodyRefusals } from '../middleware/body-bytes.js'
import { isRecord } from '../middleware/json-body.js'
import type { OpenedWebhook, WebhookState } from '../middleware/require-open-incoming-webhook.js'
import { retryAfterSeconds, setRateLimitHeaders } from '../rate-limit-headers.js'

/** Why a request is refused. Clients compare these texts, so they must not change. */
const REASONS = {
  intent: 'JSON body must contain an intent',
  data: 'JSON body must contain data',
  fields: 'JSON data field must contain a toNumber and text to send',
  tooLarge: 'Request body is too large',
} as const

export const BODY_REFUSALS: BodyRefusals = { tooLarge: REASONS.tooLarge, unreadable: REASONS.intent }

/**
 * `{"intent":"message","data":{"toNumber","text"}}` → 200 `{"success":true}` with the header `Message-Id`, once
 * the message is committed. `docs/http.md` lists the checks in their order; the first that fails answers.
 */
export function acceptWebhookMessage(context: Context): Middleware {
  return async (ctx) => {
    const state = ctx.state as WebhookState
    const { webhook } = state
    const { toNumber, text } = readMessage(ctx.request.body)
    const idempotencyKey = ctx.get('Idempotency-Key')
    const answer = await submit(context, webhook, {
      toNumber,
      text,
      idempotencyKey: idempotencyKey === '' ? undefined : idempotencyKey,
    })
    setRateLimitHeaders(ctx, {
      numberLimit: answer.toNumber.limit,
      // The whole line was refused, so the number's own window is not told.
      ...(answer.outcome === 'line_full' ? {} : { toNumber: answer.toNumber }),
      line: answer.line,
    })
    state.outcome = answer.outcome
    if (answer.outcome === 'rate_limited') {
      ctx.set('Retry-After', String(retryAfterSeconds(answer.toNumber, answer.line)))
    }
    requireAccepted(answer, context.config.rateLimitStatus)
    ctx.set('Message-Id', answer.messageId ?? '')
    ctx.body = { success: true }
  }
}

/** How often a request is judged, if its webhook is changed meanwhile: once, and twice more. */
const MAX_TRIES = 3

/**
 * If a remembered row refuses the request, or the statement finds it changed, the request is judged again by the row as it
 * is now.
 *
 * @throws UserError 404, 403 when the webhook is closed, or has another token, by now
 */
async function submit(
  context: Context,
  webhook: OpenedWebhook,
  message: IncomingWebhookMessage,
): Promise<QueueAnswer> {
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    const answer = await submitToIncomingWebhook(context, webhook.row, message, webhook.tokenHash).catch(
      (error: unknown) => {
        if (webhook.mayBeOld && error instanceof UserError) return undefined
        throw error
      },
    )
    if (answer !== undefined && answer.outcome !== 'webhook_changed') {
      webhook.mayBeOld = false
      return answer
    }
    await webhook.refresh()
  }
  throw new Unavailable('the webhook is being changed', 1)
}

function readMessage(body: unknown): { toNumber: string; text: string } {
  if (!isRecord(body) || body.intent !== 'message') throw new UserError(REASONS.intent)
  if (!isRecord(body.data)) throw new UserError(REASONS.data)
  const { toNumber, text } = body.data
  if (!isFilled(toNumber) || !isFilled(text)) throw new UserError(REASONS.fields)
  return { toNumber, text }
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
    case 'opted_out':
      throw new UserError(REFUSALS.optedOut, 403)
    case 'key_reused':
      throw new UserError(REFUSALS.keyReused, 422)
    case 'key_in_flight':
      throw new UserError(REFUSALS.keyInFlight, 409)
    case 'line_full':
      throw new Unavailable('too many messages wait', 10)
    case 'webhook_changed':
    case 'not_connected':
      throw new Error(`a webhook is not answered ${outcome}`)
  }
}
