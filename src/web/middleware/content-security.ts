import { randomBytes } from 'node:crypto'
import type { Context as KoaContext, Middleware } from 'koa'

export interface NonceState {
  /** The nonce for the script elements of this answer's page. */
  nonce: string
}

const NOTHING = "default-src 'none'; base-uri 'none'; frame-ancestors 'none'; form-action 'none'"

/** Every answer that is not a page has this: if a browser showed it, it could do nothing. */
export const allowNothing: Middleware = (ctx, next) => {
  ctx.set('Content-Security-Policy', NOTHING)
  return next()
}

/**
 * This is for our own pages: scripts only if the page names them with this answer's nonce, styles and data only from
 * us, forms only to us, and no frames. Icons of the style sheet are data: images. The targets of links get no
 * information about us; but with no referrer at all, browsers would not tell even us whose form it is (`Origin: null`).
 */
export const allowOwnPage: Middleware = (ctx, next) => {
  setOwnPagePolicy(ctx)
  return next()
}

/** @param formTargets other sources than ours to which the answer of a form may lead */
export function setOwnPagePolicy(ctx: KoaContext, formTargets: readonly string[] = []): void {
  const nonce = randomBytes(16).toString('base64')
  ;(ctx.state as NonceState).nonce = nonce
  ctx.set('Referrer-Policy', 'same-origin')
  ctx.set(
    'Content-Security-Policy',
    `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'self'; img-src 'self' data:; media-src 'self'; font-src 'self'; ` +
      `connect-src 'self'; worker-src 'self'; form-action ${["'self'", ...formTargets].join(' ')}; base-uri 'none'; frame-ancestors 'none'`,
  )
}

/**
 * This is for the dashboard, which comes from a package and sets styles inline. Nothing from elsewhere is allowed: it
 * would fetch its fonts from another host.
 */
export const allowDashboard: Middleware = (ctx, next) => {
  ctx.set(
    'Content-Security-Policy',
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
      "font-src 'self' data:; object-src 'none'; form-action 'self'; base-uri 'self'; frame-ancestors 'none'",
  )
  return next()
}
