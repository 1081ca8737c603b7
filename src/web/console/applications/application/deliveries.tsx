import type { findDeliveriesOfApplication } from '../../../../domain/endpoints/deliveries/delivery-history.js'
import { explainFailure } from '../../endpoints/failures.js'
import { Time } from '../../form.js'
import { Table } from '../../parts/table.js'
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
        <Table
          rows={deliveries}
          columns={{
            Time: ({ createdAt }) => <Time at={createdAt} />,
            Event: ({ type }) => <code>{type}</code>,
            State: ({ status }) => <Status status={status} />,
            Attempts: ({ attemptCount }) => attemptCount,
            'Last failure': ({ lastFailure }) =>
              lastFailure === null ? 'None' : explainFailure(lastFailure),
          }}
        />
      )}
    </section>
  )
}
