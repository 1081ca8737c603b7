import type { Context } from '../../domain/context.js'
import { ownMediaPath } from '../../domain/simulator/media.js'
import type { ConversationMessage } from '../../domain/simulator/phones.js'
import { Time } from '../console/form.js'
import { digitsOf } from './paths.js'

interface ConversationProps {
  context: Context
  phone: string
  messages: readonly ConversationMessage[]
}

export function conversationId(phone: string): string {
  return `conversation-${digitsOf(phone)}`
}

/** What is on a phone's screen: what it wrote at the right, what lines sent to it at the left. */
export function Conversation({ context, phone, messages }: ConversationProps) {
  if (messages.length === 0) {
    return <p class="quiet">No messages yet. Write one below, or send one from a line to {phone}.</p>
  }
  return (
    <ol class="messages">
      {messages.map((message) => (
        <Bubble key={message.id} context={context} message={message} />
      ))}
    </ol>
  )
}

/** For htmx: it finds its place by its id. */
export function LiveConversation(props: ConversationProps) {
  return (
    <div id={conversationId(props.phone)} {...{ 'hx-swap-oob': 'innerMorph' }}>
      <Conversation {...props} />
    </div>
  )
}

/** Once there it never changes: a new message leaves the others alone, so that a recording plays on. */
function Bubble({ context, message }: { context: Context; message: ConversationMessage }) {
  const isFromPhone = message.direction === 'inbound'
  return (
    <li
      id={`message-${message.id}`}
      class={isFromPhone ? 'from-phone' : 'from-line'}
      {...{ 'hx-morph-skip': '' }}
    >
      {message.text !== null && message.text !== '' && <p>{message.text}</p>}
      {message.mediaUrl !== null && <Attachment context={context} message={message} url={message.mediaUrl} />}
      <small>
        {isFromPhone ? 'to' : 'from'} {message.lineName} · <Time at={message.at} />
      </small>
    </li>
  )
}

/** Only what the simulator itself hosts is shown: the page loads nothing from elsewhere. */
function Attachment(props: { context: Context; message: ConversationMessage; url: string }) {
  const { context, message, url } = props
  const path = ownMediaPath(context, url)
  const what = message.type === 'voicemail' ? 'Voicemail' : 'Picture'
  if (path === undefined) return <Elsewhere url={url} label={what} />
  if (message.type === 'voicemail') return <audio controls preload="metadata" src={path} aria-label={what} />
  return (
    <a href={path} target="_blank" rel="noreferrer">
      <img src={path} alt={what} loading="lazy" />
    </a>
  )
}

function Elsewhere({ url, label }: { url: string; label: string }) {
  // A link to `javascript:` would run in this page.
  if (!/^https?:\/\//i.test(url)) return <p>{url}</p>
  return (
    <p>
      {label}:{' '}
      <a href={url} target="_blank" rel="noreferrer">
        {url}
      </a>
    </p>
  )
}
