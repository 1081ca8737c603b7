import type { OpenIncomingWebhook } from '../../database/lines/incoming-webhooks.js'
import type { QueueAnswer } from '../../database/messages/queueing.js'
import { newId } from '../../ids.js'
import { sha256 } from '../../secrets.js'
import type { Context } from '../context.js'
import { readSendOptions, optionsForHash, type SendOptions } from './send-options.js'
import { countForCaps } from './spending/spend-caps.js'
import { isBacklogFull } from './submit/backlog.js'
import { judgeDestination, NotAllowed } from './submit/destination.js'
import { refusalOfKey, requireSendable } from './submit/refusals.js'

export interface IncomingWebhookMessage extends SendOptions {
  /** The number as the caller wrote it. */
  toNumber: string
  text: string
  idempotencyKey: string | undefined
  /** Returns true if the caller is gone, so that the answer would not be read. */
  hasDisconnected?: () => boolean
}

/**
 * Accepts a message for an incoming webhook. When this resolves with `accepted` or `replayed`, the message is
 * committed; the other answers say why it was not. `toNumber` and `line` are the two windows afterwards.
 * `webhook_changed` means that the given row is out of date, or that the token is no longer valid for the webhook.
 *
 * @param tokenHash the hash of the request's token
 * @throws UserError for the text and the number
 * @throws Unavailable if Postgres is
 */
export async function submitToIncomingWebhook(
  context: Context,
  webhook: OpenIncomingWebhook,
  message: IncomingWebhookMessage,
  tokenHash = webhook.tokenHash,
): Promise<QueueAnswer> {
  // Lone surrogates are not valid text; Postgres would refuse the whole batch because of one.
  const text = message.text.toWellFormed()
  requireSendable(text)
  const { number: toNumber, refusal: explained } = judgeDestination(webhook, message.toNumber)
  const ofDestination = explained instanceof NotAllowed ? explained.withoutReason() : explained
  const key = message.idempotencyKey
  const ofKey = refusalOfKey(key)
  if (ofKey !== undefined) throw ofDestination ?? ofKey
  const { options, refusal } = readSendOptions(message, ofDestination)
  if (refusal !== undefined && key === undefined) throw refusal

  const answer = await context.batched.queueMessage({
    messageId: newId(),
    lineId: webhook.lineId,
    openedBy: { tokenHash, lineVersion: webhook.lineVersion },
    source: 'webhook',
    toNumber,
    text,
    hasDisconnected: message.hasDisconnected,
    segmentCount: await countForCaps(context, webhook, text),
    ...options,
    refusal,
    // The statement judges this after the limits, and not at all for a repeat.
    isBacklogFull: await isBacklogFull(context),
    idempotency:
      key === undefined
        ? undefined
        : {
            scopeId: webhook.lineId,
            key,
            requestHash: sha256(`${optionsForHash(options)}${toNumber}\n${text}`).toString('hex'),
          },
  })
  if (answer.outcome === 'refused' && refusal !== undefined) throw refusal
  return answer
}
