import { STATUS_CODES } from 'node:http'
import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { asError, Unavailable, UserError } from '../../errors.js'

/**
 * The one place that answers errors. Below /webhooks in the specification's shape, `{"success":false,"error"}`;
 * elsewhere as RFC 9457 problems. What is not meant for the sender is logged, and answered without a detail.
 */
export function answerErrors({ log }: Context): Middleware {
  return async (ctx, next) => {
    ctx.set('Cache-Control', 'no-store')
    try {
      await next()
      if (ctx.status === 404 && ctx.body == null) answer(ctx, 404, NOT_FOUND)
    } catch (error) {
      if (error instanceof UserError) {
        answer(ctx, error.status, error.message)
      } else if (error instanceof Unavailable) {
        log.warn({ err: asError(error.cause ?? error) }, 'request.unavailable')
        ctx.set('Retry-After', String(Math.ceil(error.retryAfterSeconds)))
        answer(ctx, 503, 'Service is temporarily unavailable')
      } else {
        log.error({ err: asError(error) }, 'request.failed')
        answer(ctx, 500, 'Internal error')
      }
    }
  }
}

/** For the router: a path that exists, asked by another method. */
export function refuseMethod(): UserError {
  return new UserError('Method not allowed: see the Allow header', 405)
}

const NOT_FOUND = 'There is nothing at this path'

function answer(ctx: KoaContext, status: number, message: string): void {
  ctx.status = status
  if (ctx.path.startsWith('/webhooks/')) {
    // A path below /webhooks that is no webhook's is a badly copied one.
    ctx.body = { success: false, error: message === NOT_FOUND ? 'URL is invalid' : message }
  } else {
    ctx.body = JSON.stringify({ type: 'about:blank', title: STATUS_CODES[status], status, detail: message })
    ctx.type = 'application/problem+json'
  }
}
