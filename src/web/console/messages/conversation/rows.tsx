import {
  MAX_UNREAD_MESSAGES,
  type Conversation,
} from '../../../../database/messages/conversations/conversations.js'
import { Ago, Time } from '../../form.js'
import { UnreadCount } from '../../parts/unread.js'
import { excerptOf } from '../activity/list.js'
import { TYPE_LABELS } from '../message/labels.js'
import { Status } from '../../status.js'
import { UserText } from '../../user-text.js'
import { ContactName } from './contact-name.js'
import { conversationPath } from './path.js'
import { Face } from './people.js'
import { USUAL } from './thread.js'

/**
 * Shows conversations as a separate list, each with its last message; `lineNames` is set if they belong to several
 * lines.
 */
export function ConversationRows(props: {
  conversations: readonly Conversation[]
  lineNames?: ReadonlyMap<string, string>
}) {
  const { conversations, lineNames } = props
  return (
    <ol class="activity faces">
      {conversations.map((conversation) => (
        <Row
          key={conversation.lineId + conversation.number}
          conversation={conversation}
          lineName={lineNames?.get(conversation.lineId)}
        />
      ))}
    </ol>
  )
}

function Row({ conversation, lineName }: { conversation: Conversation; lineName: string | undefined }) {
  const { lineId, number, contactName, direction, type, text, status, createdAt } = conversation
  const { blockedAt, optedOutAt, pausedUntil, unreadCount } = conversation
  return (
    <li class={unreadCount > 0 ? 'unread' : 'read'}>
      <Face number={number} name={contactName} />
      <div>
        <a href={conversationPath(lineId, number)}>
          <ContactName number={number} name={contactName} />
        </a>{' '}
        <UnreadCount count={unreadCount} max={MAX_UNREAD_MESSAGES} />
        <p class="excerpt">
          {direction === 'outbound' && 'You: '}
          {text === null || text === '' ? TYPE_LABELS[type] : <UserText>{excerptOf(text)}</UserText>}
        </p>
        {lineName !== undefined && (
          <p class="muted">
            <UserText>{lineName}</UserText>
          </p>
        )}
        {blockedAt !== null && <p class="why">Blocked</p>}
        {optedOutAt !== null && <p class="why">Opted out (STOP)</p>}
        {pausedUntil !== null && (
          <p class="why">
            Paused until <Time at={pausedUntil} />
          </p>
        )}
      </div>
      <div class="end">
        {!USUAL.has(status) && <Status status={status} />}
        <Ago at={createdAt} />
      </div>
    </li>
  )
}
