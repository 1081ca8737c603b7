import type { MessageView } from './page-model.js'
import { messagePath } from './path.js'

type Message = MessageView['message']
type Delivery = NonNullable<MessageView['event']>['deliveries'][number]

export function maySendAgain({ direction, status }: Message): boolean {
  return direction === 'outbound' && (status === 'failed' || status === 'unknown')
}

/** While it waits it may also get another time. */
export function mayBeCancelled({ direction, status }: Message): boolean {
  return direction === 'outbound' && (status === 'scheduled' || status === 'queued')
}

export function cancelPath(messageId: string): string {
  return `${messagePath(messageId)}/cancel`
}

export function reschedulePath(messageId: string): string {
  return `${messagePath(messageId)}/reschedule`
}

export function mayDeliverAgain({ status }: Delivery): boolean {
  return status === 'delivered' || status === 'exhausted' || status === 'held'
}

export function sendAgainPath(messageId: string): string {
  return `${messagePath(messageId)}/send-again`
}

export function deliverAgainPath(messageId: string, deliveryId: string): string {
  return `${messagePath(messageId)}/deliveries/${deliveryId}/send-again`
}

/** What was wrong with a form that the page does not show any more: there is no other place to say it. */
export function strayFaultOf({
  page: { fault },
  message,
  event,
  optInEvents,
}: MessageView): string | undefined {
  if (fault === undefined) return undefined
  const events = [...(event === undefined ? [] : [event]), ...optInEvents]
  const deliveries = events.flatMap((each) => each.deliveries).filter(mayDeliverAgain)
  const shown = [
    ...(maySendAgain(message) ? [sendAgainPath(message.id)] : []),
    ...(mayBeCancelled(message) ? [cancelPath(message.id), reschedulePath(message.id)] : []),
    ...deliveries.map(({ id }) => deliverAgainPath(message.id, id)),
  ]
  return shown.includes(fault.action) ? undefined : fault.message
}
