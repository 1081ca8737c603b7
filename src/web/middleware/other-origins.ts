import cors from '@koa/cors'
import type { Middleware } from 'koa'

/**
 * These are paths for programs with a token or a code, and public ones. Webhooks are not among them, because their
 * URL is a secret that belongs in no page; nor is anything that a cookie opens.
 */
const OPEN = /^\/(v1|schemas|\.well-known)\/|^\/oauth\/(access|token|revoke|introspect)$/

/** A header that is not named here is hidden from a page's script. */
const READABLE = [
  'Link',
  'Message-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
] as const

const allow = cors({
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'PUT', 'PATCH', 'POST', 'DELETE'],
  exposeHeaders: [...READABLE],
  // Two hours is the longest that browsers keep it.
  maxAge: 7200,
  keepHeadersOnError: false,
})

/**
 * Lets pages of other origins use these (CORS), refusals included, but never with credentials: a token opens them,
 * and a browser sends it only for the page that has it.
 */
export const allowOtherOrigins: Middleware = async (ctx, next) => {
  await (OPEN.test(ctx.path) ? allow(ctx, next) : next())
}

/** oidc-provider decides again once it knows which application asks: pages may do this for public ones only. */
export function leaveOriginsToProvider(ctx: Parameters<Middleware>[0]): void {
  ctx.remove('Access-Control-Allow-Origin')
  ctx.remove('Access-Control-Expose-Headers')
}
