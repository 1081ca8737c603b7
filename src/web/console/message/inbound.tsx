import { Empty } from '../form.js'
import { linePath } from '../line/view.js'
import { DeliveryWay } from './delivery.js'
import { Step } from './step.js'
import type { MessageView } from './view.js'

/** Received, made an event, and where that went. */
export function InboundWay(view: MessageView) {
  const { message, line, event } = view
  return (
    <>
      <h2>What happened</h2>
      <ol class="way">
        <Step title="Received from the carrier" at={message.createdAt}>
          {message.carrierMessageId !== null && (
            <p>
              Carrier message id: <code>{message.carrierMessageId}</code>
            </p>
          )}
        </Step>
        {event !== undefined && (
          <Step title="Made an event" at={event.createdAt}>
            <p>
              <code>{event.type}</code>, <code>webhook-id</code> <code>{event.id}</code>
            </p>
          </Step>
        )}
        {event?.deliveries.map((delivery) => (
          <DeliveryWay key={delivery.id} page={view.page} messageId={message.id} delivery={delivery} />
        ))}
      </ol>
      {(event?.deliveries.length ?? 0) === 0 && (
        <Empty>
          Nobody got it: when it came, the line had no outgoing webhook URL, or it or its developer connection
          was off. <a href={linePath(line.id)}>Set a URL</a>, and the next one goes there.
        </Empty>
      )}
    </>
  )
}
