import type { DeliveryStatus, MessageStatus } from '../../states.js'

const CLASSES: Record<MessageStatus | DeliveryStatus, 'good' | 'bad' | 'waiting'> = {
  scheduled: 'waiting',
  queued: 'waiting',
  sending: 'waiting',
  sent: 'good',
  delivered: 'good',
  failed: 'bad',
  unknown: 'bad',
  received: 'good',
  pending: 'waiting',
  delivering: 'waiting',
  exhausted: 'bad',
  held: 'waiting',
}

/** The state of a message or a delivery. */
export function Status({ status }: { status: MessageStatus | DeliveryStatus }) {
  // The style sheet puts a glyph before the word, which screen readers pass over.
  return (
    <span class={`badge ${CLASSES[status]}`} data-status={status}>
      {status}
    </span>
  )
}
