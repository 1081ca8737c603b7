import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { KoaAdapter } from '@bull-board/koa'
import type { Middleware } from 'koa'
import { record } from '../domain/audit.js'
import type { Context } from '../domain/context.js'
import { actorOf } from './actor.js'
import type { SessionState } from './console/session.js'

/** The operators' view of the queues. Jobs carry ids only, and nothing can be changed unless the operator allows it. */
export function bullBoard(context: Context, path: string): Middleware {
  const adapter = new KoaAdapter()
  adapter.setBasePath(path)
  createBullBoard({
    queues: context.queues.all.map(
      (queue) => new BullMQAdapter(queue, { readOnlyMode: !context.config.queuesWritable }),
    ),
    serverAdapter: adapter,
    options: {
      uiConfig: { boardTitle: 'Linehook', miscLinks: [{ text: 'Back to the console', url: '/console' }] },
    },
  })
  return adapter.registerPlugin()
}

/** Whatever is changed in the dashboard is in the audit log, before it is done: without Postgres nothing is changed. */
export function recordQueueChanges(context: Context): Middleware {
  return async (ctx, next) => {
    if (context.config.queuesWritable && !['GET', 'HEAD', 'OPTIONS'].includes(ctx.method)) {
      const { session } = ctx.state as SessionState
      const actor =
        session === undefined ? { ...actorOf(ctx), kind: 'queues_password' as const } : actorOf(ctx)
      const after = { request: `${ctx.method} ${ctx.path}` }
      await record({ actor }, context.db, { action: 'queue.changed', after })
    }
    await next()
  }
}
