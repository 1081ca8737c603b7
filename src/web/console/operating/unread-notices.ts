import type { Context as KoaContext, Middleware } from 'koa'
import type { Context } from '../../../domain/context.js'
import { countUnread } from '../../../domain/operating/notices.js'
import type { SessionState } from '../people/session.js'

interface UnreadState {
  unreadCount?: number
}

/** Reads the count for the head of every page. What a page asks for by itself has no head. */
export function readUnread(context: Context): Middleware {
  return async (ctx, next) => {
    const { session } = ctx.state as SessionState
    if (session !== undefined && session.portalLineIds === undefined && !ctx.path.endsWith('/live')) {
      ;(ctx.state as UnreadState).unreadCount = await countUnread(context, session)
    }
    await next()
  }
}

/** The count, which stops at MAX_UNREAD; 0 for whoever is not signed in. */
export function unreadCountOf(ctx: KoaContext): number {
  return (ctx.state as UnreadState).unreadCount ?? 0
}
