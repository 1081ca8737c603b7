import type { Middleware } from 'koa'
import { unlessSilent } from '../../database/connection.js'
import type { Context } from '../../domain/context.js'

/**
 * Returns 503 for a request that only reads as soon as Postgres hangs. We wait for a write that has reached Postgres,
 * because its outcome matters, but a read can be repeated. `/readyz` has its own answer.
 */
export function failReadsFast({ db }: Context): Middleware {
  return async (ctx, next) => {
    const isRead = ctx.method === 'GET' || ctx.method === 'HEAD'
    const answered = next() as Promise<void>
    await (isRead && ctx.path !== '/readyz' ? unlessSilent(db, answered) : answered)
  }
}
