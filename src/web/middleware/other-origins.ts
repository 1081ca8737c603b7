import cors from '@koa/cors'
import type { Middleware } from 'koa'

/**
 * What programs ask with a token or a code of their own, and what everybody may read. Webhooks are not among it, because
 * their URL is a secret that belongs in no page; nor is anything that a cookie opens.
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
  // Two hours is the most that browsers keep it.
  maxAge: 7200,
  keepHeadersOnError: false,
})

/**
 * Pages of other origins may use these (CORS), refusals included; never with credentials: a token is what opens them,
 * and a browser sends it for nobody but the page that has it.
 */
export const allowOtherOrigins: Middleware = async (ctx, next) => {
  await (OPEN.test(ctx.path) ? allow(ctx, next) : next())
}

/** oidc-provider decides again when it knows which application asks: pages may do this for public ones only. */
export function leaveOriginsToProvider(ctx: Parameters<Middleware>[0]): void {
  ctx.remove('Access-Control-Allow-Origin')
  ctx.remove('Access-Control-Expose-Headers')
}
