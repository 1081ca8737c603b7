import type { Context as KoaContext, Middleware } from 'koa'
import { countInbox, noteInboxOpened } from '../../../database/messages/conversations/marks.js'
import type { Context } from '../../../domain/context.js'
import { countUnread, MAX_UNREAD } from '../../../domain/operating/notices.js'
import type { Session } from '../../../domain/people/sessions.js'
import { sessionOf, type SessionState } from '../people/session.js'

/** The counts stop at MAX_UNREAD. */
export interface Unread {
  unreadCount: number
  unreadConversationCount: number
}

/** The counts are missing for a visitor who is not signed in. */
type UnreadState = Partial<Unread>

/** Reads the counts for the head of every page. Requests that a page makes automatically have no head. */
export function readUnread(context: Context): Middleware {
  return async (ctx, next) => {
    const { session } = ctx.state as SessionState
    if (session !== undefined && session.portalLineIds === undefined && !ctx.path.endsWith('/live')) {
      Object.assign(ctx.state, await countUnreadOf(context, session))
    }
    await next()
  }
}

export async function countUnreadOf(context: Context, session: Session): Promise<Unread> {
  const [unreadCount, unreadConversationCount] = await Promise.all([
    countUnread(context, session),
    countInbox(context.db, session.userId, MAX_UNREAD),
  ])
  return { unreadCount, unreadConversationCount }
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

/** Returns the count, which stops at MAX_UNREAD; 0 for a visitor who is not signed in. */
export function unreadCountOf(ctx: KoaContext): number {
  return (ctx.state as UnreadState).unreadCount ?? 0
}

/** Returns the count, which stops at MAX_UNREAD. */
export function unreadConversationCountOf(ctx: KoaContext): number {
  return (ctx.state as UnreadState).unreadConversationCount ?? 0
}
