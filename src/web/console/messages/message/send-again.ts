import type { MessageView } from './page-model.js'
import { messagePath } from './path.js'

type Message = MessageView['message']
type Delivery = MessageView['events'][number]['deliveries'][number]

export function maySendAgain({ direction, status }: Message): boolean {
  return direction === 'outbound' && (status === 'failed' || status === 'unknown')
}

/** While it waits it may also get another time. */
export function mayBeCancelled({ direction, status }: Message): boolean {
  return direction === 'outbound' && (status === 'scheduled' || status === 'queued')
}

export function mayDeliverAgain({ status, hasReceiver }: Delivery): boolean {
  return hasReceiver && (status === 'delivered' || status === 'exhausted' || status === 'held')
}

/** True if its next attempt waits for a time, which can be skipped. */
export function mayTryDeliveryNow({ status, endpointPausedAt, endpointDisabledAt }: Delivery): boolean {
  return status === 'pending' && endpointPausedAt === null && endpointDisabledAt === null
}

/** True if it or the copying of its media was tried and failed, and nothing is paused. */
export function mayTryMessageNow({ message, pauses }: Pick<MessageView, 'message' | 'pauses'>): boolean {
  if (pauses.length > 0) return false
  return message.media.some(isLate) || (message.status === 'queued' && message.error !== null)
}

/** True for media that could not be copied yet. */
export function isLate({ status, failure }: Pick<Message['media'][number], 'status' | 'failure'>): boolean {
  return status === 'pending' && failure !== null
}

export function deliverNowPath(messageId: string, deliveryId: string): string {
  return `${messagePath(messageId)}/deliveries/${deliveryId}/try-now`
}

export function deliverAgainPath(messageId: string, deliveryId: string): string {
  return `${messagePath(messageId)}/deliveries/${deliveryId}/send-again`
}
