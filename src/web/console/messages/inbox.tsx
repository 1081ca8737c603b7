import type { Context as KoaContext, Middleware } from 'koa'
import { markAllRead } from '../../../database/messages/conversations/marks.js'
import { listUnreadConversations } from '../../../database/messages/conversations/conversations.js'
import type { Context } from '../../../domain/context.js'
import { listOwnLines } from '../../../domain/lines/lines.js'
import { newId } from '../../../ids.js'
import { actAt } from '../act.js'
import { ConversationRows } from './conversation/rows.js'
import { shownUpTo, ShownUpTo } from './conversation/shown-up-to.js'
import { cursorOf, queryOf } from '../form-values.js'
import { Empty, Form } from '../form.js'
import { Layout } from '../layout.js'
import { ListControls, searchedIn, searchOf } from '../listing.js'
import { live } from '../live.js'
import { answerPage, pageOf, type Page } from '../page.js'
import { PageHead } from '../parts/page-head.js'
import { openInbox } from '../operating/unread-notices.js'
import { sessionOf } from '../people/session.js'
import { LivePiece } from '../parts/live-piece.js'
import { OlderPages } from '../parts/older-pages.js'
import { filterPath } from '../time-filter.js'

const INBOX = '/console/inbox'
const PAGE_SIZE = 30

/** Shows the unread conversations of all of the user's lines. The others are on the pages of their lines. */
export function showInbox(context: Context): Middleware {
  return async (ctx) => {
    await openInbox(context, ctx)
    const page = pageOf(ctx, context)
    const isNewest = queryOf(ctx, 'before') === ''
    const q = searchedIn(ctx)
    const at = filterPath(`${INBOX}/live`, { q })
    const { list, count } = await listOf(context, ctx)
    answerPage(
      ctx,
      <Layout page={page} title="Inbox">
        <PageHead
          title="Inbox"
          acts={page.unreadConversationCount > 0 && <AllRead page={page} isLive={isNewest && q === ''} />}
        />
        <p class="muted">Unread conversations on all of your lines.</p>
        <ListControls label="Search unread conversations" listing={searchOf(INBOX, q, { count })} />
        <LivePiece class="flow" at={isNewest ? at : undefined}>
          {list}
        </LivePiece>
      </Layout>,
    )
  }
}

export function liveInbox(context: Context): Middleware {
  return live(context, async (ctx) => (await listOf(context, ctx)).list)
}

export const postAllRead = actAt(INBOX, 'conversations-read', ({ db }, userId, ctx) =>
  markAllRead(db, userId, shownUpTo(ctx)),
)

/** The id of the form on the page. */
const ALL_READ = 'all-read'

/** It marks all conversations, also those that a search or an older page leaves out. */
function AllRead({ page, isLive }: { page: Page; isLive: boolean }) {
  return (
    <Form page={page} action={`${INBOX}/read`} class="inline" more={{ id: ALL_READ }}>
      {!isLive && <ShownUpTo id={newId()} />}
      <button type="submit" class="secondary">
        Mark all as read
      </button>
    </Form>
  )
}

async function listOf(context: Context, ctx: KoaContext) {
  const { userId } = sessionOf(ctx)
  const before = cursorOf(ctx)
  const q = searchedIn(ctx)
  const [{ conversations, older }, lines] = await Promise.all([
    listUnreadConversations(
      context.db,
      { userId },
      { before, limit: PAGE_SIZE, sought: q === '' ? undefined : { words: q } },
    ),
    listOwnLines(context, userId),
  ])
  const newestId = conversations
    .map(({ id }) => id)
    .toSorted()
    .at(-1)
  const list = (
    <>
      {before === undefined && q === '' && <ShownUpTo id={newestId} form={ALL_READ} />}
      {conversations.length === 0 && q !== '' ? (
        <Empty>
          {older === null
            ? 'Nothing found in your unread conversations.'
            : 'Nothing found on this page. Use Older to see more.'}
        </Empty>
      ) : conversations.length === 0 ? (
        <Empty>
          You are all caught up. To see every conversation, open one of <a href="/console">your lines</a>.
        </Empty>
      ) : (
        <ConversationRows
          conversations={conversations}
          lineNames={new Map(lines.map(({ id, name }) => [id, name]))}
        />
      )}
      <OlderPages
        newest={before === undefined ? undefined : filterPath(INBOX, { q })}
        older={older === null ? undefined : filterPath(INBOX, { q }, older)}
      />
    </>
  )
  return { list, count: conversations.length }
}
