import type { Context as KoaContext, Middleware } from 'koa'
import type { OwnLine } from '../../../database/lines/lines.js'
import type { Message } from '../../../database/messages/message.js'
import {
  archive,
  markRead,
  markUnread,
  takeFromArchive,
  type ConversationKey,
} from '../../../database/messages/conversations/marks.js'
import { listConversations } from '../../../database/messages/conversations/conversations.js'
import { listMessages } from '../../../database/messages/reading.js'
import {
  findContacts,
  saveContact,
  type Contact,
  type ContactFields,
} from '../../../domain/lines/contacts.js'
import type { Context } from '../../../domain/context.js'
import { findMediaLimit } from '../../../domain/messages/post/media.js'
import { keepPictures } from '../../../domain/media/uploads.js'
import { UserError } from '../../../errors.js'
import { filesOf, requireReadableForm } from '../../middleware/multipart-form.js'
import { findPeerState } from '../../../domain/messages/opt-out/peers.js'
import { newId } from '../../../ids.js'
import { Blocked, ContactForms } from './conversation/contact.js'
import { ContactName } from './conversation/contact-name.js'
import { conversationPath, conversationsPath, numberOf } from './conversation/path.js'
import { Face, ListHead, People } from './conversation/people.js'
import { shownUpTo, ShownUpTo } from './conversation/shown-up-to.js'
import { Thread } from './conversation/thread.js'
import { cursorOf, fieldOf, idOf, queryOf } from '../form-values.js'
import { ActButton, Empty, Form } from '../form.js'
import { Layout } from '../layout.js'
import { askedLine } from '../lines/line/act.js'
import { linePath } from '../lines/line/section.js'
import { live } from '../live.js'
import { LivePiece } from '../parts/live-piece.js'
import { Fact } from '../parts/facts.js'
import { UserText } from '../user-text.js'
import { Obstacles } from './message/obstacles.js'
import { PhoneNumber } from './phone-number.js'
import { withNotice, type Notice } from '../notices.js'
import { filterPath } from '../time-filter.js'
import { writeParty } from '../../input/query.js'
import { answerPage, pageOf, shownOnce, type Act, type Page } from '../page.js'
import { openInbox } from '../operating/unread-notices.js'
import { sessionOf } from '../people/session.js'
import { countText, isAnswerTo, sendText, TextForm, type CountedText } from './text-form.js'

/** This is about as much of a conversation as a person reads in one go. */
const PAGE_SIZE = 30
/** The other conversations beside it, the latest first. */
const LISTED = 30

interface View {
  line: OwnLine
  number: string
  contact: Contact | undefined
  obstacles: Omit<Awaited<ReturnType<typeof findPeerState>>, 'archivedAt'>
  archivedAt: Date | null
  /** The messages, oldest first. */
  messages: Message[]
  hasOlder: boolean
  /** undefined for the newest ones, which keep themselves up to date. */
  before: string | undefined
  path: string
}

/** Shows the messages between a line and a number, with a form to answer. */
export function showConversation(context: Context): Middleware {
  return async (ctx) => {
    if (ctx.method === 'GET') await openInbox(context, ctx, await readNow(context, ctx, { isOpened: true }))
    const view = await viewOf(context, ctx, cursorOf(ctx))
    const { counted } = shownOnce<{ counted: CountedText }>(ctx)
    const page = pageOf(ctx, context)
    const { line, number, contact, path } = view
    const people = filterPath(`${linePath(line.id)}/inbox/beside/live`, { number })
    answerPage(
      ctx,
      <Layout page={page} title={`Conversation with ${contact?.name ?? number}`}>
        <div class="talk">
          <div class="list">
            <ListHead line={line} />
            <LivePiece at={people}>{await peopleOf(context, line, number)}</LivePiece>
          </div>
          <section class="thread-side" aria-label={`Conversation with ${contact?.name ?? number}`}>
            <header>
              <a class="back" href={conversationsPath(line.id)} aria-label="All conversations" />
              <h1>
                <ContactName number={number} name={contact?.name} />
              </h1>
              <Marks page={page} view={view} />
            </header>
            <LivePiece class="now" at={view.before === undefined ? `${path}/live` : undefined}>
              <Now {...view} page={page} />
            </LivePiece>
            <Answer
              page={page}
              view={view}
              counted={counted}
              pictureLimit={await findMediaLimit(context, line)}
            />
          </section>
          <aside class="who">
            <div class="card">
              <Face number={number} name={contact?.name} isBig />
              <p>
                <strong>
                  {contact?.name == null ? (
                    <PhoneNumber number={number} />
                  ) : (
                    <UserText>{contact.name}</UserText>
                  )}
                </strong>
                <a href={filterPath('/console/activity', { line: line.id, number: writeParty(number) })}>
                  Activity with this number
                </a>
              </p>
            </div>
            <dl class="pairs">
              <Fact label="Number" copyId="fact-number">
                <PhoneNumber number={number} />
              </Fact>
            </dl>
            {!page.isPortal && <ContactForms {...{ page, contact, path }} />}
          </aside>
        </div>
      </Layout>,
    )
  }
}

export function liveConversation(context: Context): Middleware {
  const render = async (ctx: KoaContext) => {
    // A page that is in view marks incoming messages as read. Its stream ends when it is hidden.
    await readNow(context, ctx, { isOpened: false })
    return <Now {...await viewOf(context, ctx)} page={pageOf(ctx, context)} />
  }
  return live(context, render, (ctx) => viewOf(context, ctx))
}

export function postAnswer(context: Context): Act {
  return async (ctx) => {
    requireReadableForm(ctx)
    const pictures = filesOf(ctx, 'picture')
    if (pictures.length === 0 && fieldOf(ctx, 'text').trim() === '')
      throw new UserError('Write a message, or choose a picture')
    const line = await askedLine(context, ctx)
    const mediaUrls = await keepPictures(context, pictures, fieldOf(ctx, 'key') || undefined)
    await sendText(context, ctx, numberOf(ctx), mediaUrls)
    return conversationPath(line.id, numberOf(ctx))
  }
}

export function postAnswerSegments(context: Context): Act {
  return (ctx) => countText(context, ctx, numberOf(ctx))
}

export const postContactName = save('contact-named', (ctx) => ({ name: fieldOf(ctx, 'name') }))
export const postBlock = save('number-blocked', () => ({ blocked: true }))
export const postUnblock = save('number-unblocked', () => ({ blocked: false }))

export function livePeople(context: Context): Middleware {
  const lineOf = (ctx: KoaContext) => askedLine(context, ctx)
  return live(context, async (ctx) => peopleOf(context, await lineOf(ctx), queryOf(ctx, 'number')), lineOf)
}

/** This leads to the list, because the conversation's own page would mark it as read again. */
export const postUnread = mark('conversation-unread', markUnread)

export function postArchive(context: Context): Act {
  return async (ctx) => {
    const { userId, id: lineId } = await askedLine(context, ctx)
    const number = numberOf(ctx)
    return (await archive(context.db, { userId, lineId, number, upTo: shownUpTo(ctx) }))
      ? withNotice(conversationsPath(lineId), 'conversation-archived')
      : withNotice(conversationPath(lineId, number), 'conversation-not-archived')
  }
}

export const postUnarchive = mark('conversation-back', takeFromArchive)

function mark(notice: Notice, set: (db: Context['db'], key: ConversationKey) => Promise<void>) {
  return (context: Context): Act =>
    async (ctx) => {
      const { userId, id: lineId } = await askedLine(context, ctx)
      await set(context.db, { userId, lineId, number: numberOf(ctx) })
      return withNotice(conversationsPath(lineId), notice)
    }
}

/** @returns true if it was unread */
async function readNow(context: Context, ctx: KoaContext, how: { isOpened: boolean }): Promise<boolean> {
  const { userId } = sessionOf(ctx)
  return markRead(context.db, { userId, lineId: idOf(ctx, 'lineId'), number: numberOf(ctx) }, how)
}

async function peopleOf(context: Context, line: OwnLine, number: string) {
  const of = { userId: line.userId, lineId: line.id }
  const { conversations } = await listConversations(context.db, of, { limit: LISTED })
  return <People line={line} conversations={conversations} number={number} />
}

function save(notice: Notice, read: (ctx: KoaContext) => ContactFields) {
  return (context: Context): Act =>
    async (ctx) => {
      const { userId, id: lineId } = await askedLine(context, ctx)
      await saveContact(context, userId, numberOf(ctx), read(ctx))
      return withNotice(conversationPath(lineId, numberOf(ctx)), notice)
    }
}

async function viewOf(context: Context, ctx: KoaContext, before?: string): Promise<View> {
  const number = numberOf(ctx)
  const line = await askedLine(context, ctx)
  const { userId } = line
  const page = { limit: PAGE_SIZE + 1, before }
  const [contacts, { archivedAt, ...obstacles }, found] = await Promise.all([
    findContacts(context, userId, [number]),
    findPeerState(context, userId, line.id, number),
    listMessages(context.db, userId, { lineId: line.id, number }, page),
  ])
  return {
    ...{ line, number, obstacles, archivedAt, before },
    contact: contacts.get(number),
    messages: found.slice(0, PAGE_SIZE).reverse(),
    hasOlder: found.length > PAGE_SIZE,
    path: conversationPath(line.id, number),
  }
}

/** The id of the form on the page. */
const ARCHIVE = 'archive'

/** Shows the forms that move the conversation in the list. */
function Marks({ page, view }: { page: Page; view: View }) {
  const { archivedAt, messages, before, path } = view
  if (messages.length === 0) return null
  return (
    <div class="marks">
      <ActButton page={page} action={`${path}/unread`} label="Mark as unread" />
      {archivedAt === null ? (
        <Form page={page} action={`${path}/archive`} class="inline" more={{ id: ARCHIVE }}>
          {before !== undefined && <ShownUpTo id={newId()} />}
          <button type="submit">Archive</button>
        </Form>
      ) : (
        <ActButton page={page} action={`${path}/unarchive`} label="Unarchive" />
      )}
    </div>
  )
}

function Now(props: View & { page: Page }) {
  const { page, number, contact, obstacles, messages, hasOlder, before, path } = props
  const oldest = messages[0]
  return (
    <>
      {before === undefined && <ShownUpTo id={messages.at(-1)?.id} form={ARCHIVE} />}
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

function Answer(props: { page: Page; view: View; counted: CountedText | undefined; pictureLimit: number }) {
  const { page, view, counted, pictureLimit } = props
  const { line, obstacles, path } = view
  const action = `${path}/messages`
  const isAnswer = isAnswerTo(page, { action, counted })
  return (
    <>
      <h2 class="unseen">Reply</h2>
      {line.status !== 'active' && !isAnswer ? (
        <p class="empty">This line is disabled and cannot send.</p>
      ) : obstacles.optedOutAt !== null && !isAnswer ? (
        <p class="empty">This number has opted out, so you cannot send to it.</p>
      ) : (
        <TextForm page={page} action={action} counted={counted} pictureLimit={pictureLimit} isComposer />
      )}
    </>
  )
}
