import type { Middleware } from 'koa'
import { unlessSilent } from '../../database/connection.js'
import type { Context } from '../../domain/context.js'

/**
 * Answers that the process is alive. It checks nothing else, so that a database outage does not make a supervisor
 * restart `web`.
 */
export const healthz: Middleware = (ctx) => {
  ctx.body = { status: 'ok' }
}

/**
 * Says whether it can accept messages, which it can while Postgres responds. Redis is reported but not needed, because
 * accepting does not need it. During an upgrade the version shows which release answers.
 */
export function readyz({ config, db, redis }: Context): Middleware {
  return async (ctx) => {
    const postgres = await unlessSilent(db, db.raw('select 1')).then(
      () => 'ok',
      () => 'unreachable',
    )
    ctx.status = postgres === 'ok' ? 200 : 503
    ctx.body = {
      status: postgres === 'ok' ? 'ok' : 'unavailable',
      version: config.version,
      postgres,
      redis: redis.status === 'ready' ? 'ok' : 'unreachable',
    }
  }
}
