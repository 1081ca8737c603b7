import { createApiToken } from '../../../domain/api-tokens.js'
import type { Context } from '../../../domain/context.js'
import { fieldOf } from '../form-values.js'
import type { Act } from '../page.js'
import { isConfirmed, sessionOf } from '../session.js'
import { showSettings } from '../settings.js'
import { SETTINGS } from './path.js'

/** Shown in this answer and never again; so this is the one form that is not followed by a redirect. */
export function postApiToken(context: Context): Act {
  return async (ctx) => {
    if (!isConfirmed(ctx, SETTINGS)) return undefined
    const created = await createApiToken(context, sessionOf(ctx).userId, fieldOf(ctx, 'name'))
    await showSettings(context, created)(ctx, () => Promise.resolve())
    return undefined
  }
}
