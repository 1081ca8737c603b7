import type { Context as KoaContext, Middleware } from 'koa'
import { countInbox, noteInboxOpened } from '../../../database/messages/conversations/marks.js'
import type { Context } from '../../../domain/context.js'
import { countUnread, MAX_UNREAD } from '../../../domain/operating/notices.js'
import type { Session } from '../../../domain/people/sessions.js'
import { sessionOf, type SessionState } from '../people/session.js'

/** The counts stop at MAX_UNREAD. */
export interface Unread {
  /** Of the notifications that the reader has not seen. */
  unreadCount: number
  /** Of the conversations of all of the reader's lines. */
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

/** Notes that the reader looks at the inbox or a conversation. A portal session is somebody else's look. */
export async function openInbox(context: Context, ctx: KoaContext, hasChanged = false): Promise<void> {
  const { userId, portalLineIds } = sessionOf(ctx)
  if (portalLineIds !== undefined) return
  const isNoted = await noteInboxOpened(context.db, userId)
  if (!isNoted && !hasChanged) return
  ;(ctx.state as UnreadState).unreadConversationCount = await countInbox(context.db, userId, MAX_UNREAD)
}

/** Returns the counts, which are 0 for a visitor who is not signed in. */
export function unreadOf(ctx: KoaContext): Unread {
  const { unreadCount = 0, unreadConversationCount = 0 } = ctx.state as UnreadState
  return { unreadCount, unreadConversationCount }
}
