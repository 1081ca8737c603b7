import type { Middleware } from 'koa'
import { UserError } from '../../errors.js'

/** Node reads this many header fields of a request (`maxHeadersCount`) and silently ignores the others. */
export const MAX_HEADER_FIELDS = 100

/**
 * Refuses requests with more, because an ignored field could be the `Authorization` or the `Idempotency-Key`. The raw list
 * is long enough to show that there are more.
 *
 * @throws UserError 431
 */
export const requireAllHeaders: Middleware = (ctx, next) => {
  // The raw list has names and values in turn.
  if (ctx.req.rawHeaders.length > 2 * MAX_HEADER_FIELDS) {
    throw new UserError(`Request has too many header fields: ${MAX_HEADER_FIELDS} at most`, 431)
  }
  return next()
}
