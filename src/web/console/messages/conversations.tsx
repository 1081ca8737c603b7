import type { Middleware } from 'koa'
import { listConversations, type Conversation } from '../../../database/messages/conversations.js'
import type { Context } from '../../../domain/context.js'
import { isId } from '../../../ids.js'
import { excerptOf } from './activity/list.js'
import { ContactName } from './conversation/contact-name.js'
import { conversationPath, conversationsPath } from './conversation/path.js'
import { queryOf } from '../form-values.js'
import { Empty, Time } from '../form.js'
import { lineTab } from '../lines/line/tab.js'
import { TYPE_LABELS } from './message/labels.js'
import { Status } from '../status.js'
import { UserText } from '../user-text.js'

/** About two screens on a desk, and four of a phone. */
const PAGE_SIZE = 30

/** Lists those with whom a line was in touch, the latest first. */
export function showConversations(context: Context): Middleware {
  return lineTab(context, 'conversations', async (ctx, { line }) => {
    const cursor = queryOf(ctx, 'before')
    const before = isId(cursor) ? cursor : null
    const found = await listConversations(
      context.db,
      { userId: line.userId, lineId: line.id },
      { before, limit: PAGE_SIZE },
    )
    const { conversations, older } = found
    const path = conversationsPath(line.id)
    return (
      <>
        {conversations.length === 0 ? (
          <Empty>
            {older === null
              ? 'No conversations on this line yet.'
              : 'All of these conversations have newer messages.'}
          </Empty>
        ) : (
          <ol class="activity">
            {conversations.map((conversation) => (
              <Row key={conversation.number} conversation={conversation} />
            ))}
          </ol>
        )}
        <nav class="pages" aria-label="Pages">
          {before === null ? <span /> : <a href={path}>Newest</a>}
          {older !== null && (
            <a href={`${path}?before=${older}`} rel="next">
              Older
            </a>
          )}
        </nav>
      </>
    )
  })
}

function Row({ conversation }: { conversation: Conversation }) {
  const { lineId, number, contactName, direction, type, text, status, createdAt } = conversation
  const { blockedAt, optedOutAt, pausedUntil } = conversation
  return (
    <li>
      <div class="when">
        <Time at={createdAt} />
      </div>
      <div>
        <a href={conversationPath(lineId, number)}>
          <ContactName number={number} name={contactName} />
        </a>
        <p class="excerpt">
          {direction === 'outbound' && 'You: '}
          {text === null || text === '' ? TYPE_LABELS[type] : <UserText>{excerptOf(text)}</UserText>}
        </p>
        {blockedAt !== null && <p class="why">Blocked</p>}
        {optedOutAt !== null && <p class="why">Opted out (STOP)</p>}
        {pausedUntil !== null && (
          <p class="why">
            Paused until <Time at={pausedUntil} />
          </p>
        )}
      </div>
      <Status status={status} />
    </li>
  )
}
