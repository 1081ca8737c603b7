import { createHmac } from 'node:crypto'
import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { mustSetUpSecondFactor } from '../../../domain/people/second-factors.js'
import { endPortalSession, findPortalSession } from '../../../domain/people/portal.js'
import { endSession, findSession, type Session } from '../../../domain/people/sessions.js'
import { UserError } from '../../../errors.js'
import { isSameSecret, newToken } from '../../../secrets.js'
import { isForeignOrigin } from '../../own-origin.js'
import { setFault } from '../form-fault.js'
import { fieldOf } from '../form-values.js'
import { SECOND_FACTOR } from './second-factor/path.js'

export interface SessionState {
  session?: Session
  /** The value of the browser's cookie: a session's token, or one without a session yet. */
  browserToken?: string | undefined
}

/**
 * Reads the session from the one cookie. Its value is a random token; signed in, the hash of the token is a row in
 * `sessions`, and signing in or out gives the browser a new one. (koa-session would keep a row for each visitor that
 * is not signed in, and the settings page could neither list nor end the sessions in its blobs.)
 *
 * @param options.isPortal true to accept a session that a portal link opened
 */
export function readSession(context: Context, { isPortal = false } = {}): Middleware {
  return async (ctx, next) => {
    const state = ctx.state as SessionState
    const token = browserTokenOf(ctx, context)
    if (token !== undefined) {
      state.browserToken = token
      const own = await findSession(context, token, { isUsed: !isAskedByThePage(ctx) })
      const session = own ?? (isPortal ? await findPortalSession(context, token) : undefined)
      if (session !== undefined) state.session = session
    }
    await next()
  }
}

/** A value that we did not make is not secret: anyone could compute the form token that belongs to it. */
const TOKEN = /^[\w-]{43}$/

/** Updates that a page requests automatically, as the dashboard does, do not show that a person is still there. */
function isAskedByThePage({ method, path }: KoaContext): boolean {
  return path.endsWith('/live') || (method === 'GET' && path.startsWith('/queues/api/'))
}

/** Sends visitors who request a page and are not signed in to the sign-in page, and back afterwards. */
export const requireSession: Middleware = async (ctx, next) => {
  if ((ctx.state as SessionState).session !== undefined) {
    await next()
    return
  }
  if (ctx.get('HX-Request') !== '') throw new UserError('Sign in first', 401)
  ctx.redirect(`/console/sign-in?next=${encodeURIComponent(ctx.url)}`)
}

/** Sends users who must have a second factor, and have none, to set one up, and on to the page or form afterwards. */
export function requireSecondFactor(context: Context): Middleware {
  return async (ctx, next) => {
    if (!mustSetUpSecondFactor(context, sessionOf(ctx))) {
      await next()
      return
    }
    if (ctx.get('HX-Request') !== '') throw new UserError('Set up a second factor first', 403)
    const back = ctx.method === 'GET' ? `?next=${encodeURIComponent(ctx.url)}` : ''
    ctx.redirect(SECOND_FACTOR + back)
    if (ctx.method === 'POST') ctx.status = 303
  }
}

/** Marks the session as having one, for the rest of this request. */
export function noteSecondFactor(ctx: KoaContext): void {
  ;(ctx.state as SessionState).session = { ...sessionOf(ctx), hasSecondFactor: true }
}

/** @throws UserError 404, because other users need not know what is here */
export const requireOperatorSession: Middleware = (ctx, next) => {
  if (sessionOf(ctx).role !== 'operator') throw new UserError('Nothing was found at this path', 404)
  return next()
}

/**
 * Called before a page shows a secret, which needs a password that was given recently.
 *
 * @returns false if the browser was redirected to enter it
 * @throws UserError 403 in a portal session, which was opened without a password
 */
export function isConfirmed(ctx: KoaContext, back = ctx.url): boolean {
  if (sessionOf(ctx).isConfirmed) return true
  if (sessionOf(ctx).portalLineIds !== undefined) throw new UserError(NEEDS_PASSWORD, 403)
  ctx.redirect(`/console/confirm?next=${encodeURIComponent(back)}`)
  ctx.status = 303
  return false
}

export const NEEDS_PASSWORD = 'This requires your password. Sign in to the console to do it'

/** Records that the password was given just now, and gives the browser the token under which its session continues. */
export function noteConfirmation(ctx: KoaContext, context: Context, token: string): void {
  setBrowserToken(ctx, context, token)
  ;(ctx.state as SessionState).session = { ...sessionOf(ctx), isConfirmed: true }
}

export function sessionOf(ctx: KoaContext): Session {
  const { session } = ctx.state as SessionState
  if (session === undefined) throw new Error('this route lacks requireSession')
  return session
}

function outOfDate(isSignedIn: boolean): string {
  const reason = isSignedIn ? 'you signed in or confirmed your password' : 'you opened the console'
  return `This page was out of date, because ${reason} in another tab. Check your input and submit the form once more.`
}

/**
 * Accepts a form only if it comes from one of our own pages: by the browser's headers (Sec-Fetch-Site and Origin),
 * and by a token that only a page of this browser can know. It runs after the body is read.
 *
 * The token changes when the browser signs in or confirms the password, which may have been in another tab, and tabs that
 * a browser restores without its cookie each get one, of which it keeps the last: then the form's page is shown again
 * with what was typed.
 *
 * @param show the form's page; if left out, an old token is refused like any other
 * @throws UserError 403
 */
export function requireOwnForm(context: Context, show?: Middleware): Middleware {
  return async (ctx, next) => {
    const site = ctx.get('Sec-Fetch-Site')
    const { browserToken } = ctx.state as SessionState
    if ((site !== '' && site !== 'same-origin') || isForeignOrigin(ctx, context)) {
      throw new UserError(
        `Forms from other sites are refused. Open ${context.config.publicUrl}/console and try again there`,
        403,
      )
    }
    if (browserToken === undefined) {
      throw new UserError(
        `Your browser sent no cookie. Open ${context.config.publicUrl}/console and allow cookies there`,
        403,
      )
    }
    const token = fieldOf(ctx, 'csrf')
    if (isSameSecret(token, csrfTokenOf(browserToken))) {
      await next()
      return
    }
    if (show === undefined || !TOKEN.test(token)) {
      throw new UserError('This form is out of date. Go back, reload the page and try again', 403)
    }
    ctx.status = 403
    const { session } = ctx.state as SessionState
    setFault(ctx, outOfDate(session !== undefined), { isOutOfDate: true })
    await show(ctx, next)
  }
}

/** Returns the browser's form token; a browser without a cookie gets one. */
export function formTokenOf(ctx: KoaContext, context: Context): string {
  const state = ctx.state as SessionState
  // An error's page is also shown without a session having been read: it must not replace the browser's cookie.
  state.browserToken ??= browserTokenOf(ctx, context)
  if (state.browserToken === undefined) setBrowserToken(ctx, context, newToken())
  return csrfTokenOf(state.browserToken ?? '')
}

function browserTokenOf(ctx: KoaContext, context: Context): string | undefined {
  const token = ctx.cookies.get(cookieName(context))
  return token !== undefined && TOKEN.test(token) ? token : undefined
}

/** Returns the cookie's value, for a browser that has sent a form of ours. */
export function browserOf(ctx: KoaContext): string {
  const { browserToken } = ctx.state as SessionState
  if (browserToken === undefined) throw new Error('this route lacks requireOwnForm')
  return browserToken
}

/**
 * Gives the browser the token of the session that begins, and ends the one that it had. The new one comes first: if
 * Postgres fails now, the browser is signed in nevertheless, because its code or link is used up.
 */
export async function changeBrowserToken(ctx: KoaContext, context: Context, token: string): Promise<void> {
  const before = { ...(ctx.state as SessionState) }
  setBrowserToken(ctx, context, token)
  await endSessionOf(context, before)
}

/** Ends the session of the browser, which gets a token without one. */
export async function signOut(ctx: KoaContext, context: Context): Promise<void> {
  await endSessionOf(context, ctx.state)
  setBrowserToken(ctx, context, newToken())
}

async function endSessionOf(context: Context, { session, browserToken }: SessionState): Promise<void> {
  if (browserToken !== undefined) await endPortalSession(context, browserToken)
  try {
    if (session !== undefined) await endSession(context, session.userId, session.id)
  } catch (error) {
    // A 404 means that it is over already.
    if (!(error instanceof UserError)) throw error
  }
}

/** Signs the browser in; the current request continues in the session. */
export async function takeSession(ctx: KoaContext, context: Context, token: string): Promise<void> {
  await changeBrowserToken(ctx, context, token)
  const session = await findSession(context, token)
  if (session !== undefined) (ctx.state as SessionState).session = session
}

/** Sets the browser's token from now on, even in the current request. */
export function setBrowserToken(ctx: KoaContext, context: Context, token: string): void {
  // The library only knows this connection, not the one before the proxy, nor that browsers trust loopback.
  ctx.cookies.secure = isSecure(context)
  ctx.cookies.set(cookieName(context), token, {
    httpOnly: true,
    sameSite: 'lax',
    path: '/',
    overwrite: true,
    secure: isSecure(context),
  })
  ;(ctx.state as SessionState).browserToken = token
}

function csrfTokenOf(browserToken: string): string {
  return createHmac('sha256', browserToken).update('linehook form').digest('base64url')
}

/**
 * Browsers keep a `__Host-` cookie only if it came over https or from this machine. If an operator serves the console
 * over plain http in a private network, the prefix is left out.
 */
export function isSecure({ config }: Context): boolean {
  const { protocol, hostname } = new URL(config.publicUrl)
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

function cookieName(context: Context): string {
  return isSecure(context) ? '__Host-linehook' : 'linehook'
}
