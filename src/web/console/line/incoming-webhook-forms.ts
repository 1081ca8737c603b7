import type { Context } from '../../../domain/context.js'
import {
  createIncomingWebhook,
  regenerateToken,
  removeIncomingWebhook,
} from '../../../domain/incoming-webhooks.js'
import { fieldOf, idOf } from '../form-values.js'
import type { Act } from '../page.js'
import { sessionOf } from '../session.js'
import { lineWithNotice } from './section.js'

/** Its URL is shown at once; after a while without the password, that is asked for first. */
export function postIncomingWebhook(context: Context): Act {
  return async (ctx) => {
    const lineId = idOf(ctx, 'lineId')
    await createIncomingWebhook(context, sessionOf(ctx).userId, lineId)
    return lineWithNotice(lineId, 'webhook-created', 'webhook')
  }
}

export function postRegenerate(context: Context): Act {
  return async (ctx) => {
    const lineId = idOf(ctx, 'lineId')
    const overlapSeconds = Number(fieldOf(ctx, 'overlapSeconds') || 0)
    await regenerateToken(context, sessionOf(ctx).userId, lineId, overlapSeconds)
    return lineWithNotice(lineId, 'webhook-regenerated', 'webhook')
  }
}

export function postDeleteIncomingWebhook(context: Context): Act {
  return async (ctx) => {
    const lineId = idOf(ctx, 'lineId')
    await removeIncomingWebhook(context, sessionOf(ctx).userId, lineId)
    return lineWithNotice(lineId, 'webhook-deleted')
  }
}
