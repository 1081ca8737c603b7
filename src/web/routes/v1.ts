import type { Context } from '../../domain/context.js'
import { answerCarrierCallback } from '../api/carrier-callbacks.js'
import {
  BODY_REFUSALS,
  acceptWebhookMessage,
  countRefusals,
  requireOpenIncomingWebhook,
} from '../api/incoming-webhooks.js'
import { OPERATIONS } from '../api/operations.js'
import { readJsonBody } from '../middleware/json-body.js'
import type { Routes } from './kinds.js'

/**
 * The routes for programs: incoming webhooks, callbacks of carriers, and `/v1`, each operation of which has its own
 * path.
 */
export function programRoutes(context: Context, { firstRouter, v1 }: Routes): void {
  const { vocabulary } = context
  // oxfmt-ignore
  {
    firstRouter.post(vocabulary.incomingWebhookPaths, countRefusals, requireOpenIncomingWebhook(context), readJsonBody(BODY_REFUSALS), acceptWebhookMessage(context))
    firstRouter.post(['/carriers/:kind/:accountId/:name'], answerCarrierCallback(context))
    firstRouter.get('/carriers/:kind/:accountId/:name', answerCarrierCallback(context))
  }
  for (const operation of OPERATIONS) v1(operation)
}
