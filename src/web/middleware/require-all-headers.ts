import type { Middleware } from 'koa'
import { UserError } from '../../errors.js'

/** Node reads so many header fields of a request (`maxHeadersCount`), and leaves the others out without a word. */
export const MAX_HEADER_FIELDS = 100

/**
 * One of those that are left out could be the `Authorization` or the `Idempotency-Key`. The raw list goes on beyond the
 * limit, far enough to tell.
 *
 * @throws UserError 431
 */
export const requireAllHeaders: Middleware = (ctx, next) => {
  // Names and values in turn.
  if (ctx.req.rawHeaders.length > 2 * MAX_HEADER_FIELDS) {
    throw new UserError(`Request has too many header fields: ${MAX_HEADER_FIELDS} at most`, 431)
  }
  return next()
}
