import type { Middleware } from 'koa'
import { unlessSilent } from '../../database/connection.js'
import type { Context } from '../../domain/context.js'

/**
 * Answers 503 to a request that only reads as soon as Postgres hangs. A write that Postgres has got is waited for,
 * because its outcome matters, but a read can be repeated. `/readyz` has its own answer.
 */
export function failReadsFast({ db }: Context): Middleware {
  return async (ctx, next) => {
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
    const answered = next() as Promise<void>
    await (isRead && ctx.path !== '/readyz' ? unlessSilent(db, answered) : answered)
  }
}
