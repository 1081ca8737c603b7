import { createBullBoard } from '@bull-board/api'
import { BullMQAdapter } from '@bull-board/api/bullMQAdapter'
import { KoaAdapter } from '@bull-board/koa'
import type { Middleware } from 'koa'
import type { Context } from '../domain/context.js'

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
