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
import { MAX_UNREAD } from '../../../domain/operating/notices.js'
import { isId } from '../../../ids.js'
import { ConversationRows } from './conversation/rows.js'
import { conversationsPath } from './conversation/path.js'
import { queryOf } from '../form-values.js'
import { Empty } from '../form.js'
import { UnreadCount } from '../parts/unread.js'
import { ListControls, searchedIn, searchOf } from '../listing.js'
import { askedLine } from '../lines/line/act.js'
import { linePath } from '../lines/line/section.js'
import { lineTab } from '../lines/line/tab.js'
import { live } from '../live.js'
import { LivePiece } from '../parts/live-piece.js'
import { OlderPages } from '../parts/older-pages.js'
import { filterPath, instantOf } from '../time-filter.js'

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
    const [q, state] = [searchedIn(ctx), stateOf(ctx)]
    const { list, count } = await listOf(context, ctx, line)
    const at = filterPath(`${linePath(line.id)}/inbox/live`, { state, q })
    const isNewest = queryOf(ctx, 'before') === ''
    return (
      <>
        <ListControls
          label="Search conversations"
          listing={searchOf(conversationsPath(line.id), q, { count, state })}
        />
        <LivePiece class="flow" at={isNewest ? at : undefined}>
          {list}
        </LivePiece>
      </>
    )
  })
}

export function liveConversations(context: Context): Middleware {
  const lineOf = (ctx: KoaContext) => askedLine(context, ctx)
  return live(context, async (ctx) => (await listOf(context, ctx, await lineOf(ctx))).list, lineOf)
}

async function listOf(
  context: Context,
  ctx: KoaContext,
  line: OwnLine,
): Promise<{ list: VNode; count: number }> {
  const [state, q] = [stateOf(ctx), searchedIn(ctx)]
  const of = { userId: line.userId, lineId: line.id }
  const [{ conversations, older }, unreadCount] = await Promise.all([
    pageOfState(context, of, state, { cursor: queryOf(ctx, 'before'), q }),
    countUnreadConversations(context.db, of, MAX_UNREAD),
  ])
  const isNewest = queryOf(ctx, 'before') === ''
  const path = (state: State, before?: string) => filterPath(conversationsPath(line.id), { state, q }, before)
  const list = (
    <>
      <nav class="spans" aria-label="Show">
        {(Object.keys(STATES) as State[]).map((each) => (
          <a key={each} href={path(each)} aria-current={each === state ? 'page' : undefined}>
            {STATES[each]}
            {each === 'unread' && <UnreadCount count={unreadCount} max={MAX_UNREAD} />}
          </a>
        ))}
      </nav>
      {conversations.length === 0 ? (
        <Empty>
          {q !== '' &&
            (older === null ? 'Nothing found.' : 'Nothing found on this page. Use Older to see more.')}
          {q === '' &&
            (older === null
              ? EMPTY[state]
              : state === ''
                ? 'All of these conversations have newer messages.'
                : 'The messages of these conversations were deleted. Use Older to see more.')}
        </Empty>
      ) : (
        <ConversationRows conversations={conversations} />
      )}
      <OlderPages
        newest={isNewest ? undefined : path(state)}
        older={older === null ? undefined : path(state, older)}
      />
    </>
  )
  return { list, count: conversations.length }
}

function stateOf(ctx: KoaContext): State {
  const asked = queryOf(ctx, 'state')
  return Object.hasOwn(STATES, asked) ? (asked as State) : ''
}

/** The cursor is an id, except in the archive, which is in the order of time. */
function pageOfState(
  { db }: Context,
  of: { userId: string; lineId: string },
  state: State,
  { cursor, q }: { cursor: string; q: string },
) {
  const page = { limit: PAGE_SIZE, sought: q === '' ? undefined : { words: q } }
  if (state === 'archived') {
    const before = instantOf(cursor)
    return listArchivedConversations(db, of, before === undefined ? page : { ...page, before })
  }
  const before = isId(cursor) ? cursor : undefined
  return state === 'unread'
    ? listUnreadConversations(db, of, { ...page, before })
    : listConversations(db, of, { ...page, before })
}
