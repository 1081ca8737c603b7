import type { EventWithDeliveries } from '../../../../domain/endpoints/deliveries/delivery-history.js'
import { Time } from '../../form.js'
import { formatDuration } from './labels.js'
import { Step } from './step.js'

/** Shows the answers of programs that listened to the line; they do not count for the endpoint. */
export function ListenerHistory({ event }: { event: Pick<EventWithDeliveries, 'listenerAttempts'> }) {
  const { listenerAttempts } = event
  if (listenerAttempts.length === 0) return null
  return (
    <Step title="Received by a listener (linehook listen)">
      <ol class="attempts">
        {listenerAttempts.map(({ startedAt, durationMs, responseStatus, failure }) => (
          <li key={startedAt.getTime()}>
            <span class="muted">
              <Time at={startedAt} /> · {formatDuration(durationMs)}
            </span>
            {responseStatus === null
              ? ` · no response: ${failure ?? 'failed'}`
              : ` · status ${responseStatus}`}
          </li>
        ))}
      </ol>
    </Step>
  )
}
