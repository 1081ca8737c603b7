import type { Middleware } from 'koa'
import type { Context } from '../domain/context.js'
import { record } from '../domain/operating/audit.js'
import { onFirstUse } from '../kit/process/on-first-use.js'
import { actingFor } from './actor.js'

/** The dashboard's own router would answer any other method with 501, as if the service had failed. */
export const DASHBOARD_METHODS = ['HEAD', 'GET', 'OPTIONS', 'POST', 'PUT', 'PATCH']

/** The dashboard is loaded when it is first opened, because its packages take 160 ms of the processor and 4 MB (measured). */
export function queueDashboard(context: Context, path: string): Middleware {
  const board = onFirstUse(async () => {
    const { bullBoard } = await import('./bull-board.js')
    return bullBoard(context, path)
  })
  return async (ctx, next) => {
    const answer = await board()
    await answer(ctx, next)
  }
}

/**
 * Every change in the dashboard is recorded in the audit log, before it is made: without Postgres nothing is changed.
 */
export function recordQueueChanges(context: Context): Middleware {
  return async (ctx, next) => {
    if (context.config.queuesWritable && !['GET', 'HEAD', 'OPTIONS'].includes(ctx.method)) {
      const after = { request: `${ctx.method} ${ctx.path}` }
      await record(actingFor(ctx, context), context.db, { action: 'queue.changed', after })
    }
    await next()
  }
}
