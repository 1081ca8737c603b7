import type { Middleware } from 'koa'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { isForThisMachineOnly, isLoopback } from '../../loopback.js'
import { authenticate } from './authenticate.js'

/**
 * Before what programs may do without a password while nobody but this machine reaches us; elsewhere they need an API
 * token. A page of another site that has its own name lead to this machine (DNS rebinding) asks by that name.
 *
 * @throws UserError 401, 403
 */
export function requireHereOrToken(context: Context): Middleware {
  if (!isForThisMachineOnly(context.config)) return authenticate(context)
  return (ctx, next) => {
    if (!isLoopback(ctx.hostname)) {
      throw new UserError('this is answered only by a name of this machine, such as localhost', 403)
    }
    return next()
  }
}
