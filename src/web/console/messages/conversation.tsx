import type { Context as KoaContext, Middleware } from 'koa'
import type { OwnLine } from '../../../database/lines/lines.js'
import type { Message } from '../../../database/messages/message.js'
import { listConversations } from '../../../database/messages/conversations.js'
import { listMessages } from '../../../database/messages/reading.js'
import {
  findContacts,
  saveContact,
  type Contact,
  type ContactFields,
} from '../../../domain/lines/contacts.js'
import type { Context } from '../../../domain/context.js'
import { getOwnLine } from '../../../domain/lines/lines.js'
import { findObstacles } from '../../../domain/messages/opt-out/peers.js'
import { isId } from '../../../ids.js'
import { Blocked, ContactForms } from './conversation/contact.js'
import { ContactName } from './conversation/contact-name.js'
import { conversationPath, conversationsPath, numberOf } from './conversation/path.js'
import { Face, People } from './conversation/people.js'
import { Thread } from './conversation/thread.js'
import { fieldOf, idOf, queryOf } from '../form-values.js'
import { Empty } from '../form.js'
import { Layout } from '../layout.js'
import { live } from '../live.js'
import { Obstacles } from './message/obstacles.js'
import { withNotice, type Notice } from '../notices.js'
import { answerPage, pageOf, shownOnce, type Act, type Page } from '../page.js'
import { sessionOf } from '../people/session.js'
import { countText, sendText, TextForm, type CountedText } from './text-form.js'

/** About as much as a person reads of a conversation at once. */
const PAGE_SIZE = 30
/** The others beside it, the latest first. */
const LISTED = 30

interface View {
  line: OwnLine
  number: string
  contact: Contact | undefined
  obstacles: Awaited<ReturnType<typeof findObstacles>>
  /** Oldest first. */
  messages: Message[]
  hasOlder: boolean
  /** undefined: the newest ones, which keep themselves up to date. */
  before: string | undefined
  path: string
}

/** What a line and a number have written to each other, and an answer in place. */
export function showConversation(context: Context): Middleware {
  return async (ctx) => {
    const view = await viewOf(context, ctx, queryOf(ctx, 'before'))
    const { counted } = shownOnce<{ counted: CountedText }>(ctx)
    const page = pageOf(ctx, context)
    const { line, number, contact, path } = view
    const { conversations } = await listConversations(
      context.db,
      { userId: line.userId, lineId: line.id },
      { limit: LISTED },
    )
    const liveness = view.before === undefined ? { 'data-live': `${path}/live`, 'hx-swap': 'innerMorph' } : {}
    answerPage(
      ctx,
      <Layout page={page} title={`Conversation with ${contact?.name ?? number}`}>
        <div class="talk">
          <People line={line} conversations={conversations} number={number} />
          <section class="thread-side" aria-label={`Conversation with ${contact?.name ?? number}`}>
            <header>
              <a class="back" href={conversationsPath(line.id)} aria-label="All conversations" />
              <h1>
                <ContactName number={number} name={contact?.name} />
              </h1>
            </header>
            <div class="now" {...liveness}>
              <Now {...view} page={page} />
            </div>
            <Answer page={page} view={view} counted={counted} />
          </section>
          <aside class="who">
            <p class="card">
              <Face number={number} name={contact?.name} isBig />
              <a href={`/console/activity?${new URLSearchParams({ line: line.id, number }).toString()}`}>
                Activity with this number
              </a>
            </p>
            {!page.isPortal && <ContactForms {...{ page, number, contact, path }} />}
          </aside>
        </div>
      </Layout>,
    )
  }
}

export function liveConversation(context: Context): Middleware {
  const stream = live(context, async (ctx) => (
    <Now {...await viewOf(context, ctx)} page={pageOf(ctx, context)} />
  ))
  return async (ctx, next) => {
    // What is not there is refused here, because nobody can be told once the stream has begun.
    await viewOf(context, ctx)
    await stream(ctx, next)
  }
}

export function postAnswer(context: Context): Act {
  return async (ctx) => {
    await sendText(context, ctx, numberOf(ctx))
    return conversationPath(idOf(ctx, 'lineId'), numberOf(ctx))
  }
}

export function postAnswerSegments(context: Context): Act {
  return (ctx) => countText(context, ctx, numberOf(ctx))
}

export function postContactName(context: Context): Act {
  return (ctx) => save(context, ctx, { name: fieldOf(ctx, 'name') }, 'contact-named')
}

export function postBlock(context: Context): Act {
  return (ctx) => save(context, ctx, { blocked: true }, 'number-blocked')
}

export function postUnblock(context: Context): Act {
  return (ctx) => save(context, ctx, { blocked: false }, 'number-unblocked')
}

async function save(
  context: Context,
  ctx: KoaContext,
  fields: ContactFields,
  notice: Notice,
): Promise<string> {
  const { userId } = sessionOf(ctx)
  const line = await getOwnLine(context, userId, idOf(ctx, 'lineId'))
  const number = numberOf(ctx)
  await saveContact(context, userId, number, fields)
  return withNotice(conversationPath(line.id, number), notice)
}

async function viewOf(context: Context, ctx: KoaContext, cursor = ''): Promise<View> {
  const { userId } = sessionOf(ctx)
  const number = numberOf(ctx)
  const line = await getOwnLine(context, userId, idOf(ctx, 'lineId'))
  const before = isId(cursor) ? cursor : undefined
  const page = { limit: PAGE_SIZE + 1, ...(before === undefined ? {} : { before }) }
  const [contacts, obstacles, found] = await Promise.all([
    findContacts(context, userId, [number]),
    findObstacles(context, userId, line.id, number),
    listMessages(context.db, userId, { lineId: line.id, number }, page),
  ])
  return {
    ...{ line, number, obstacles, before },
    contact: contacts.get(number),
    messages: found.slice(0, PAGE_SIZE).reverse(),
    hasOlder: found.length > PAGE_SIZE,
    path: conversationPath(line.id, number),
  }
}

function Now(props: View & { page: Page }) {
  const { page, number, contact, obstacles, messages, hasOlder, before, path } = props
  const oldest = messages[0]
  return (
    <>
      <Blocked number={number} contact={contact} />
      <Obstacles number={number} obstacles={obstacles} />
      <nav class="pages" aria-label="Pages">
        {hasOlder && oldest !== undefined && (
          <a href={`${path}?before=${oldest.id}`} rel="next" class="older">
            Older
          </a>
        )}
        {before !== undefined && (
          <a href={path} class="older">
            Newest
          </a>
        )}
      </nav>
      {oldest === undefined ? (
        <Empty>No messages with this number yet.</Empty>
      ) : (
        <div class="thread-box" tabIndex={0} role="region" aria-label="Messages">
          <Thread messages={messages} page={page} path={path} />
        </div>
      )}
    </>
  )
}

function Answer(props: { page: Page; view: View; counted: CountedText | undefined }) {
  const { page, view, counted } = props
  const { line, obstacles, path } = view
  return (
    <>
      <h2 class="unseen">Reply</h2>
      {line.status !== 'active' ? (
        <p class="empty">This line is disabled and cannot send.</p>
      ) : obstacles.optedOutAt !== null && page.fault === undefined ? (
        <p class="empty">This number has opted out, so you cannot send to it.</p>
      ) : (
        <TextForm page={page} action={`${path}/messages`} counted={counted} isComposer />
      )}
    </>
  )
}
