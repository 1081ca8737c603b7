import type { Middleware } from 'koa'

/** A trailing slash and repeated slashes are tolerated below /webhooks and /v1 (contract §2). */
export const tidyPath: Middleware = (ctx, next) => {
  const path = ctx.path.replace(/\/{2,}/g, '/')
  if (path.startsWith('/webhooks/') || path.startsWith('/v1/')) ctx.path = path.replace(/(?<=.)\/$/, '')
  return next()
}
