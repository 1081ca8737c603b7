import type { Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { isForThisMachineOnly, isLoopback } from '../../network.js'
import { authenticate } from './authenticate.js'
import type { Access } from './token-scope.js'

/**
 * Allows programs to do this without a token while only this machine can reach us; otherwise they need an API token.
 * A page of another site whose name leads to this machine (DNS rebinding) requests it by that name, and is refused.
 *
 * @throws UserError 401, 403
 */
export function requireLocalOrToken(context: Context, access: Access): Middleware {
  if (!isForThisMachineOnly(context.config)) return authenticate(context, access)
  return (ctx, next) => {
    if (!isLoopback(ctx.hostname)) {
      throw new UserError('This is available only on a local host name, such as localhost', 403)
    }
    return next()
  }
}
