import type { findDeliveriesOfApplication } from '../../../../domain/endpoints/deliveries/delivery-history.js'
import { explainFailure } from '../../endpoints/failures.js'
import { Time } from '../../form.js'
import { Status } from '../../status.js'

/** This many are enough to see how the endpoint is doing. `/v1` has all of them. */
export const MAX_SHOWN = 20

type Deliveries = Awaited<ReturnType<typeof findDeliveriesOfApplication>>

/** Shows the deliveries of its events, newest first: their progress, without the texts from another user's line. */
export function Deliveries({ deliveries }: { deliveries: Deliveries }) {
  return (
    <section id="deliveries" aria-labelledby="deliveries-title">
      <h2 id="deliveries-title">Activity</h2>
      {deliveries.length === 0 ? (
        <p class="empty">No events yet. Each message that a connected line receives creates one.</p>
      ) : (
        <table class="rows">
          <thead>
            <tr>
              <th>Time</th>
              <th>Event</th>
              <th>State</th>
              <th>Attempts</th>
              <th>Last failure</th>
            </tr>
          </thead>
          <tbody>
            {deliveries.map((each) => (
              <tr key={each.id}>
                <td data-label="Time">
                  <Time at={each.createdAt} />
                </td>
                <td data-label="Event">
                  <code>{each.type}</code>
                </td>
                <td data-label="State">
                  <Status status={each.status} />
                </td>
                <td data-label="Attempts">{each.attemptCount}</td>
                <td data-label="Last failure">
                  {each.lastFailure === null ? 'None' : explainFailure(each.lastFailure)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  )
}
