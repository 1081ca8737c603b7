import type { Middleware } from 'koa'

/**
 * Removes a trailing slash and repeated slashes below /webhooks, /v1 and /oauth. A request target in absolute form
 * becomes its path, as every server must read it; Koa's parser throws for one that is not a URL.
 */
export const normalizePath: Middleware = (ctx, next) => {
  ctx.url = targetOf(ctx.url)
  const path = ctx.path.replace(/\/{2,}/g, '/')
  if (/^\/(webhooks|v1|oauth|\.well-known)\//.test(path)) ctx.path = path.replace(/(?<=.)\/$/, '')
  return next()
}

/** No route has this path. */
const NOWHERE = '/*'

/** Returns the path and query of a request target, unchanged unless it is in absolute form. */
export function targetOf(target: string): string {
  if (target.startsWith('/')) return target
  if (!URL.canParse(target)) return NOWHERE
  const { pathname, search } = new URL(target)
  return pathname.startsWith('/') ? pathname + search : NOWHERE
}
