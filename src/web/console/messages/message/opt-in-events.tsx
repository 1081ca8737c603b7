import { EVENT_TYPES } from '../../../../event-types.js'
import { ShortId } from '../../short-id.js'
import { DeliveryHistory } from './delivery.js'
import { ListenerHistory } from './listeners.js'
import type { MessageView } from './page-model.js'
import { Step } from './step.js'

/** Shows the other events about the message, for endpoints that asked for them. */
export function OptInEventsHistory(view: MessageView) {
  const { optInEvents } = view
  if (optInEvents.length === 0) return null
  return (
    <>
      <h2>Other events</h2>
      <ol class="way">
        {optInEvents.map(({ id, type, createdAt, deliveries, listenerAttempts }) => (
          <>
            <Step key={id} title={EVENT_TYPES[type].label} at={createdAt}>
              <p>
                <code>{type}</code>, <code>webhook-id</code> <ShortId id={id} what="the webhook-id" />
              </p>
            </Step>
            {deliveries.map((delivery) => (
              <DeliveryHistory key={delivery.id} view={view} delivery={delivery} />
            ))}
            <ListenerHistory event={{ listenerAttempts }} />
          </>
        ))}
      </ol>
    </>
  )
}
