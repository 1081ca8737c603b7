import type { MessageMedia } from '../../database/media/reading.js'
import type { ConversationMessage } from '../../domain/simulator/phones.js'
import { explainFailure } from '../console/endpoints/failures.js'
import { Time } from '../console/form.js'
import { UserText } from '../console/user-text.js'
import { MediaPlayer } from '../media-player.js'
import { digitsOf } from './paths.js'

interface ConversationProps {
  phone: string
  messages: readonly ConversationMessage[]
}

export function conversationId(phone: string): string {
  return `conversation-${digitsOf(phone)}`
}

/** Shows a phone's screen: its own messages at the right, those of lines at the left. */
export function Conversation({ phone, messages }: ConversationProps) {
  if (messages.length === 0) {
    return <p class="quiet">No messages yet. Write one below, or send one from a line to {phone}.</p>
  }
  return (
    <ol class="messages">
      {messages.map((message) => (
        <Bubble key={message.id} message={message} />
      ))}
    </ol>
  )
}

/** The part that htmx swaps in by its id. */
export function LiveConversation(props: ConversationProps) {
  return (
    <div id={conversationId(props.phone)} {...{ 'data-hx-swap-oob': 'innerMorph' }}>
      <Conversation {...props} />
    </div>
  )
}

/** A complete bubble never changes, so htmx leaves it alone when a message comes, and a recording plays on. */
function Bubble({ message }: { message: ConversationMessage }) {
  const isFromPhone = message.direction === 'inbound'
  const isUnderWay = message.media.some(({ status }) => status === 'pending' || status === 'fetching')
  return (
    <li
      id={`message-${message.id}${isUnderWay ? '-under-way' : ''}`}
      class={isFromPhone ? 'from-phone' : 'from-line'}
      {...{ 'data-hx-morph-skip': '' }}
    >
      {message.text !== null && message.text !== '' && <p dir="auto">{message.text}</p>}
      {message.media.map((media) => (
        <Attachment key={media.token} type={message.type} media={media} />
      ))}
      <small>
        {isFromPhone ? 'to' : 'from'} <UserText>{message.lineName}</UserText> · <Time at={message.at} />
      </small>
    </li>
  )
}

/** These are our copies, so the page loads nothing from elsewhere. */
function Attachment({ type, media }: { type: ConversationMessage['type']; media: MessageMedia }) {
  const what = type === 'voicemail' ? 'Voicemail' : 'Picture'
  if (media.status === 'failed')
    return (
      <p>
        {what}: {explainFailure(media.failure ?? '')}
      </p>
    )
  if (media.status !== 'stored') return <p class="quiet">{what}: copying…</p>
  if (media.isRemoved) return <p class="quiet">{what}: expired and deleted.</p>
  return <MediaPlayer media={media} label={what} />
}
