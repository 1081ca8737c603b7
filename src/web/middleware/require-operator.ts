import type { Context as KoaContext, Middleware } from 'koa'
import basicAuth from 'basic-auth'
import type { Context } from '../../domain/context.js'
import { UserError } from '../../errors.js'
import { isSameSecret } from '../../secrets.js'
import { readSession, type SessionState } from '../console/session.js'

/**
 * The dashboard is for operators: by HTTP Basic with the password of the configuration, also when Postgres is
 * away, and by a session in the console.
 *
 * @throws UserError 401; 403 when only the console would open it
 */
export function requireOperator(context: Context): Middleware {
  const { queuesPassword } = context.config
  const read = readSession(context)
  return async (ctx, next) => {
    if (!isOperatorsPassword(ctx, queuesPassword)) {
      await read(ctx, () => Promise.resolve())
      if ((ctx.state as SessionState).session?.role !== 'operator') throw refusal(ctx, queuesPassword)
    }
    await next()
  }
}

function isOperatorsPassword(ctx: KoaContext, expected: string | undefined): boolean {
  const given = basicAuth(ctx.req)
  return expected !== undefined && given?.name === 'operator' && isSameSecret(given.pass, expected)
}

function refusal(ctx: KoaContext, queuesPassword: string | undefined): UserError {
  if (queuesPassword === undefined) {
    return new UserError(
      'The dashboard is closed: sign in to the console as an operator, or set QUEUES_PASSWORD',
      403,
    )
  }
  ctx.set('WWW-Authenticate', 'Basic realm="Linehook queues", charset="UTF-8"')
  return new UserError('Sign in as operator with QUEUES_PASSWORD', 401)
}
