import type { Context as KoaContext, Middleware } from 'koa'
import type { VNode } from 'preact'
import type { OwnLine } from '../../../database/lines/lines.js'
import {
  listArchivedConversations,
  listConversations,
  listUnreadConversations,
} from '../../../database/messages/conversations/conversations.js'
import { countUnreadConversations } from '../../../database/messages/conversations/marks.js'
import type { Context } from '../../../domain/context.js'
import { getOwnLine } from '../../../domain/lines/lines.js'
import { MAX_UNREAD } from '../../../domain/operating/notices.js'
import { isId } from '../../../ids.js'
import { ConversationRows } from './conversation/rows.js'
import { conversationsPath } from './conversation/path.js'
import { idOf, queryOf } from '../form-values.js'
import { Empty } from '../form.js'
import { UnreadCount } from '../layout.js'
import { linePath } from '../lines/line/section.js'
import { lineTab } from '../lines/line/tab.js'
import { live } from '../live.js'
import { sessionOf } from '../people/session.js'

/** This is about two screens on a desktop, and four on a phone. */
const PAGE_SIZE = 30

/** The conversations to list, by the address. */
const STATES = { '': 'All', unread: 'Unread', archived: 'Archived' } as const
type State = keyof typeof STATES

const EMPTY: Record<State, string> = {
  '': 'No conversations on this line yet.',
  unread: 'No unread conversations.',
  archived: 'No archived conversations.',
}

/** Lists the numbers that a line was in contact with, the latest first. */
export function showConversations(context: Context): Middleware {
  return lineTab(context, 'conversations', async (ctx, { line }) => {
    const list = await listOf(context, ctx, line)
    // An older page stays as it is.
    if (queryOf(ctx, 'before') !== '') return <div class="flow">{list}</div>
    const at = `${linePath(line.id)}/inbox/live?state=${stateOf(ctx)}`
    return (
      <div class="flow" {...{ 'data-live': at }} hx-swap="innerMorph">
        {list}
      </div>
    )
  })
}

export function liveConversations(context: Context): Middleware {
  const lineOf = (ctx: KoaContext) => getOwnLine(context, sessionOf(ctx).userId, idOf(ctx, 'lineId'))
  const stream = live(context, async (ctx) => listOf(context, ctx, await lineOf(ctx)))
  return async (ctx, next) => {
    // A line that does not exist is refused here, because a stream that has begun cannot answer with an error.
    await lineOf(ctx)
    await stream(ctx, next)
  }
}

async function listOf(context: Context, ctx: KoaContext, line: OwnLine): Promise<VNode> {
  const state = stateOf(ctx)
  const of = { userId: line.userId, lineId: line.id }
  const [{ conversations, older }, unreadCount] = await Promise.all([
    pageOfState(context, of, state, queryOf(ctx, 'before')),
    countUnreadConversations(context.db, of, MAX_UNREAD),
  ])
  const isNewest = queryOf(ctx, 'before') === ''
  const path = (query: Record<string, string>) => {
    const written = new URLSearchParams({ ...(state === '' ? {} : { state }), ...query }).toString()
    return conversationsPath(line.id) + (written === '' ? '' : `?${written}`)
  }
  return (
    <>
      <nav class="spans" aria-label="Show">
        {(Object.keys(STATES) as State[]).map((each) => (
          <a
            key={each}
            href={conversationsPath(line.id) + (each === '' ? '' : `?state=${each}`)}
            {...(each === state ? { 'aria-current': 'page' as const } : {})}
          >
            {STATES[each]}
            {each === 'unread' && <UnreadCount count={unreadCount} max={MAX_UNREAD} />}
          </a>
        ))}
      </nav>
      {conversations.length === 0 ? (
        <Empty>
          {state === '' && older !== null ? 'All of these conversations have newer messages.' : EMPTY[state]}
        </Empty>
      ) : (
        <ConversationRows conversations={conversations} />
      )}
      <nav class="pages" aria-label="Pages">
        {isNewest ? <span /> : <a href={path({})}>Newest</a>}
        {older !== null && (
          <a href={path({ before: older })} rel="next">
            Older
          </a>
        )}
      </nav>
    </>
  )
}

function stateOf(ctx: KoaContext): State {
  const asked = queryOf(ctx, 'state')
  return Object.hasOwn(STATES, asked) ? (asked as State) : ''
}

/** The cursor is an id, except in the archive, which is in the order of time. */
function pageOfState({ db }: Context, of: { userId: string; lineId: string }, state: State, cursor: string) {
  const limit = PAGE_SIZE
  if (state === 'archived') {
    const before = new Date(cursor)
    return listArchivedConversations(db, of, Number.isNaN(before.getTime()) ? { limit } : { before, limit })
  }
  const before = isId(cursor) ? cursor : undefined
  return state === 'unread'
    ? listUnreadConversations(db, of, { before, limit })
    : listConversations(db, of, { before, limit })
}
