import type { Context as KoaContext, Middleware } from 'koa'
import { findAllSending, type AllSending } from '../../../database/operating/pauses.js'
import type { Context } from '../../../domain/context.js'
import type { SessionState } from '../people/session.js'

interface AllSendingState {
  allSending?: AllSending
}

/** Operators are told on every page while all sending is paused. What a page asks for by itself does not tell. */
export function readAllSending(context: Context): Middleware {
  return async (ctx, next) => {
    const isOperator = (ctx.state as SessionState).session?.role === 'operator'
    if (isOperator && !ctx.path.endsWith('/live')) {
      ;(ctx.state as AllSendingState).allSending = await findAllSending(context.db)
    }
    await next()
  }
}

/** undefined: it goes on, or the reader is no operator. */
export function allSendingPauseOf(ctx: KoaContext): AllSending | undefined {
  const { allSending } = ctx.state as AllSendingState
  return allSending?.pausedAt == null ? undefined : allSending
}
