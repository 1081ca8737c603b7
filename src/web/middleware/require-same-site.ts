import type { Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { isForeignOrigin } from '../own-origin.js'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Browsers also send a remembered password with other sites' forms, but say where those come from. */
export function requireSameSite(context: Context): Middleware {
  return (ctx, next) => {
    const site = ctx.get('Sec-Fetch-Site')
    const isElsewhere = site === 'cross-site' || site === 'same-site' || isForeignOrigin(ctx, context)
    if (!SAFE_METHODS.has(ctx.method) && isElsewhere) {
      throw new UserError('Requests from other sites are refused', 403)
    }
    return next()
  }
}
