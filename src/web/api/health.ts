import type { Middleware } from 'koa'
import type { Context } from '../../domain/context.js'

/** The process is alive; asks nobody else, so that a database outage does not make a supervisor restart `web`. */
export const healthz: Middleware = (ctx) => {
  ctx.body = { status: 'ok' }
}

/**
 * Can accept messages: Postgres answers. Redis is reported but not needed, because accepting does not need it. The
 * version says during an upgrade which release answers.
 */
export function readyz({ config, db, redis }: Context): Middleware {
  return async (ctx) => {
    const postgres = await db.raw('select 1').then(
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
