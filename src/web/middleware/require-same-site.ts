import type { Middleware } from 'koa'
import { UserError } from '../../errors.js'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Browsers send a password that they remember with other sites' forms too, and say where those come from. */
export const requireSameSite: Middleware = (ctx, next) => {
  const site = ctx.get('Sec-Fetch-Site')
  if (!SAFE_METHODS.has(ctx.method) && (site === 'cross-site' || site === 'same-site')) {
    throw new UserError('Requests from other sites are refused', 403)
  }
  return next()
}
