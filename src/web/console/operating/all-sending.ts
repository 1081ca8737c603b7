import type { Context as KoaContext, Middleware } from 'koa'
import { findAllSending, type AllSending } from '../../../database/operating/pauses.js'
import type { Context } from '../../../domain/context.js'
import type { SessionState } from '../people/session.js'

interface AllSendingState {
  allSending?: AllSending
}

/** Operators see on every page that all sending is paused. Requests that a page makes automatically do not need it. */
export function readAllSending(context: Context): Middleware {
  return async (ctx, next) => {
    const isOperator = (ctx.state as SessionState).session?.role === 'operator'
    if (isOperator && !ctx.path.endsWith('/live')) {
      ;(ctx.state as AllSendingState).allSending = await findAllSending(context.db)
    }
    await next()
  }
}

/** @returns undefined if it is not paused, or the reader is not an operator */
export function allSendingPauseOf(ctx: KoaContext): AllSending | undefined {
  const { allSending } = ctx.state as AllSendingState
  return allSending?.pausedAt == null ? undefined : allSending
}
