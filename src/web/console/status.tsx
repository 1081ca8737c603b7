import type { DeliveryStatus, MessageStatus } from '../../states.js'

const CLASSES: Record<MessageStatus | DeliveryStatus, 'good' | 'bad' | 'waiting' | 'info'> = {
  scheduled: 'info',
  queued: 'info',
  sending: 'info',
  sent: 'good',
  delivered: 'good',
  failed: 'bad',
  unknown: 'waiting',
  received: 'good',
  pending: 'info',
  delivering: 'info',
  exhausted: 'bad',
  held: 'waiting',
}

export function Status({ status }: { status: MessageStatus | DeliveryStatus }) {
  // The style sheet puts a shape before the word, which screen readers skip.
  return (
    <span class={`badge ${CLASSES[status]}`} data-status={status}>
      {status}
    </span>
  )
}

/** These states have the shape of a pause beside their colour. */
const AT_REST = /paused|held/

/** Shows a state in a word or two, with its colour and shape. */
export function MoodBadge({ mood, code }: { mood: string; code: string }) {
  return <span class={`badge ${mood}${AT_REST.test(code) ? ' paused' : ''}`.trim()}>{code}</span>
}
