import type { Middleware } from 'koa'
import basicAuth from 'basic-auth'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { isSameSecret } from '../../secrets.js'

/** The dashboard is for operators: HTTP Basic with the password of the configuration, and closed without one. */
export function requireOperator({ config }: Context): Middleware {
  return async (ctx, next) => {
    if (config.queuesPassword === undefined) {
      throw new UserError('The dashboard is closed: set QUEUES_PASSWORD to open it', 403)
    }
    const given = basicAuth(ctx.req)
    if (given?.name !== 'operator' || !isSameSecret(given.pass, config.queuesPassword)) {
      ctx.set('WWW-Authenticate', 'Basic realm="Linehook queues", charset="UTF-8"')
      throw new UserError('Sign in as operator with QUEUES_PASSWORD', 401)
    }
    await next()
  }
}
