import { STATUS_CODES } from 'node:http'
import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { asError, LinkExpired, OutcomeUnknown, Unavailable, UserError } from '../../errors.js'
import type { Logger } from '../../telemetry/log.js'
import { answerErrorPage } from '../console/error-page.js'
import { readUnread } from '../console/operating/unread-notices.js'
import { readSession } from '../console/people/session.js'

/**
 * The only place that answers errors: below /webhooks as `{"success":false,"error"}`, which clients expect there; as
 * a page for browsers; elsewhere as RFC 9457 problems.
 */
export function answerErrors(context: Context): Middleware {
  const { log } = context
  return async (ctx, next) => {
    const answer = (status: number, message: string, title?: string) => {
      answerError(ctx, context, status, message, title)
    }
    ctx.set('Cache-Control', 'no-store')
    try {
      await next()
      if (ctx.body == null) {
        // No route has read the session, with which the page has its navigation.
        if (isForBrowser(ctx)) {
          await readSession(context, { isPortal: true })(ctx, () => Promise.resolve())
          await readUnread(context)(ctx, () => Promise.resolve())
        }
        answerNothing(ctx, answer)
      }
    } catch (error) {
      const { status, detail, retryAfterSeconds } = explainError(log, error)
      if (retryAfterSeconds !== undefined) ctx.set('Retry-After', String(retryAfterSeconds))
      answer(status, detail, error instanceof LinkExpired ? 'Link expired' : undefined)
    }
  }
}

/** Explains an error to the sender. An error that is not meant for them is logged, and answered without details. */
export function explainError(
  log: Logger,
  error: unknown,
): { status: number; detail: string; retryAfterSeconds?: number | undefined } {
  if (error instanceof UserError) {
    return { status: error.status, detail: error.message, retryAfterSeconds: error.retryAfterSeconds }
  }
  if (error instanceof Unavailable) {
    log.warn({ err: asError(error.cause ?? error) }, 'request.unavailable')
    if (error instanceof OutcomeUnknown) return { status: 503, detail: error.message }
    const retryAfterSeconds = Math.ceil(error.retryAfterSeconds)
    return { status: 503, detail: UNAVAILABLE, retryAfterSeconds }
  }
  if (isSendersFault(error)) return { status: error.status, detail: 'The request could not be read' }
  log.error({ err: asError(error) }, 'request.failed')
  return { status: 500, detail: INTERNAL }
}

/** Logs errors after a response was begun, which mostly come from clients that did not wait for it. */
export function logBrokenAnswers(log: Logger): (error: unknown, ctx?: KoaContext) => void {
  return (error, ctx) => {
    // Every live page ends like this, when its reader continues.
    if (ctx?.type === 'text/event-stream') return
    log.warn({ err: asError(error) }, 'request.answer_broken')
  }
}

const NOT_FOUND = 'Nothing was found at this path'
const INTERNAL = 'Internal error'
const UNAVAILABLE = 'Service is temporarily unavailable'

/** No handler answered: there is no such path, or the router has set 405 and `Allow`. */
function answerNothing(ctx: KoaContext, answer: (status: number, message: string) => void): void {
  if (ctx.status === 404) answer(404, NOT_FOUND)
  if (ctx.status === 405) answer(405, 'Method not allowed. See the Allow header')
}

/** Packages that read requests (the dashboard's) throw errors with a status. */
function isSendersFault(error: unknown): error is Error & { status: number } {
  if (!(error instanceof Error) || !('status' in error)) return false
  return typeof error.status === 'number' && error.status >= 400 && error.status < 500
}

function answerError(
  ctx: KoaContext,
  context: Context,
  status: number,
  message: string,
  title = PAGE_TITLES[status] ?? STATUS_CODES[status] ?? 'Error',
): void {
  ctx.status = status
  if (ctx.path.startsWith('/webhooks/')) {
    // A path below /webhooks that is not a webhook's is usually a badly copied one.
    ctx.body = { success: false, error: message === NOT_FOUND ? 'URL is invalid' : message }
  } else if (isForBrowser(ctx)) {
    answerErrorPage(ctx, context, title, PAGE_WORDS.get(message) ?? message)
    ctx.status = status
  } else {
    ctx.body = JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail: message })
    ctx.type = 'application/problem+json'
  }
}

/** HTTP's own names of statuses are for programs. */
const PAGE_TITLES: Record<number, string> = {
  400: 'Invalid request',
  401: 'Not signed in',
  403: 'Not allowed',
  404: 'Page not found',
  410: 'No longer available',
  413: 'Too large',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Temporarily unavailable',
}

/** What programs get in a word or two, in sentences for people. */
const PAGE_WORDS = new Map([
  [INTERNAL, 'This is a fault of the service, and it has been logged. Try again in a minute.'],
  [UNAVAILABLE, 'The service cannot answer right now. Try again in a minute.'],
])

/** Browsers ask for HTML by name; everything else gets JSON, and below /v1 always. */
function isForBrowser(ctx: KoaContext): boolean {
  return !ctx.path.startsWith('/v1/') && ctx.get('Accept').includes('text/html')
}
