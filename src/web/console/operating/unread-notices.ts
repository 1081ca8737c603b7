import type { Context as KoaContext, Middleware } from 'koa'
import { countInbox, noteInboxOpened } from '../../../database/messages/conversations/marks.js'
import type { Context } from '../../../domain/context.js'
import { countUnread, MAX_UNREAD } from '../../../domain/operating/notices.js'
import { sessionOf, type SessionState } from '../people/session.js'

interface UnreadState {
  unreadCount?: number
  unreadConversationCount?: number
}

/** Reads the counts for the head of every page. Requests that a page makes automatically have no head. */
export function readUnread(context: Context): Middleware {
  return async (ctx, next) => {
    const { session } = ctx.state as SessionState
    if (session !== undefined && session.portalLineIds === undefined && !ctx.path.endsWith('/live')) {
      const [unreadCount] = await Promise.all([
        countUnread(context, session),
        readUnreadConversations(context, ctx),
      ])
      ;(ctx.state as UnreadState).unreadCount = unreadCount
    }
    await next()
  }
}

/** Reads the count again after a page has marked a conversation as read. */
async function readUnreadConversations(context: Context, ctx: KoaContext): Promise<void> {
  const { userId } = sessionOf(ctx)
  ;(ctx.state as UnreadState).unreadConversationCount = await countInbox(context.db, userId, MAX_UNREAD)
}

/** Notes that the reader looks at the inbox or a conversation. A portal session is somebody else's look. */
export async function openInbox(context: Context, ctx: KoaContext, hasChanged = false): Promise<void> {
  const { userId, portalLineIds } = sessionOf(ctx)
  if (portalLineIds !== undefined) return
  const isNoted = await noteInboxOpened(context.db, userId)
  if (isNoted || hasChanged) await readUnreadConversations(context, ctx)
}

/** The count, which stops at MAX_UNREAD; 0 for a visitor who is not signed in. */
export function unreadCountOf(ctx: KoaContext): number {
  return (ctx.state as UnreadState).unreadCount ?? 0
}

/** The count, which stops at MAX_UNREAD. */
export function unreadConversationCountOf(ctx: KoaContext): number {
  return (ctx.state as UnreadState).unreadConversationCount ?? 0
}
