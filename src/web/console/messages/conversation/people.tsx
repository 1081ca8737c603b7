import {
  MAX_UNREAD_MESSAGES,
  type Conversation,
} from '../../../../database/messages/conversations/conversations.js'
import type { OwnLine } from '../../../../database/lines/lines.js'
import { Ago } from '../../form.js'
import { UnreadCount } from '../../parts/unread.js'
import { linePath } from '../../lines/line/section.js'
import { excerptOf } from '../activity/list.js'
import { TYPE_LABELS } from '../message/labels.js'
import { PhoneNumber } from '../phone-number.js'
import { UserText } from '../../user-text.js'
import { conversationPath, conversationsPath } from './path.js'

const COLOURS = 6

/** Shows the line's name, and a search in all of its conversations. Neither changes while the list below is live. */
export function ListHead({ line }: { line: OwnLine }) {
  return (
    <>
      <h2>
        <a href={linePath(line.id)}>
          <UserText>{line.name}</UserText>
        </a>
      </h2>
      <form
        method="get"
        action={conversationsPath(line.id)}
        role="search"
        aria-label="Conversations of this line"
      >
        <input type="search" name="q" aria-label="Search conversations" placeholder="Name, number or text" />
      </form>
    </>
  )
}

/** Lists the numbers that the line was in touch with, the latest first, beside the open conversation. */
export function People(props: { line: OwnLine; conversations: readonly Conversation[]; number: string }) {
  const { line, conversations } = props
  return (
    <nav aria-label="Conversations">
      <ul class="people">
        {conversations.map(({ number, contactName, direction, type, text, createdAt, unreadCount }) => (
          <li key={number} class={unreadCount > 0 ? 'unread' : ''}>
            <Face number={number} name={contactName} />
            <a
              href={conversationPath(line.id, number)}
              aria-current={number === props.number ? 'page' : undefined}
            >
              {contactName === null ? <PhoneNumber number={number} /> : <UserText>{contactName}</UserText>}
            </a>
            <Ago at={createdAt} isShort />
            <p>
              {direction === 'outbound' && 'You: '}
              {text === null || text === '' ? TYPE_LABELS[type] : <UserText>{excerptOf(text)}</UserText>}
            </p>
            <UnreadCount count={unreadCount} max={MAX_UNREAD_MESSAGES} />
          </li>
        ))}
      </ul>
    </nav>
  )
}

/** Shows a contact's initials, or the last two digits of a number, in a colour that the number always has. */
export function Face(props: { number: string; name: string | null | undefined; isBig?: boolean }) {
  const { number, name, isBig = false } = props
  const colour = (Array.from(number).reduce((sum, each) => sum + (each.codePointAt(0) ?? 0), 0) % COLOURS) + 1
  return (
    <span class={`face f${colour}${isBig ? ' big' : ''}`} aria-hidden="true" dir="auto">
      {name == null || name === '' ? number.slice(-2) : initialsOf(name)}
    </span>
  )
}

function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/)
  return [words[0], ...(words.length > 1 ? [words.at(-1)] : [])]
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('')
    .toUpperCase()
}
