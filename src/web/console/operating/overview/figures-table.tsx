import { describeCount, describeMs } from '../../../../domain/operating/overview/figures.js'
import type { Percentiles } from '../../../../domain/operating/overview/percentiles.js'
import type { CountName, TrafficBin } from '../../../../domain/operating/overview/traffic.js'
import { Time } from '../../form.js'

const COLUMNS: readonly (readonly [CountName, string])[] = [
  ['accepted', 'Accepted'],
  ['sent', 'Sent'],
  ['delivered', 'Delivered'],
  ['failed', 'Failed'],
  ['unknown', 'Unknown'],
  ['received', 'Received'],
  ['eventsDelivered', 'Events delivered'],
  ['attemptsFailed', 'Failed attempts'],
]

/** The time at which the outcome of a message or an event counts. */
export type CountedAt = 'hand-over' | 'arrival'

const COUNTED_AT: Record<CountedAt, string> = {
  'hand-over':
    'Accepted and received messages are counted at the time they arrived. Sent, delivered, failed and unknown messages are counted at the time they were handed to the carrier, by their current state.',
  arrival:
    'Messages are counted at the time they were accepted or received, by their current state. Events are counted at the time they were created.',
}

/** Shows the charts' figures, newest first, for people who would rather read. */
export function FiguresTable({ bins, countedAt }: { bins: readonly TrafficBin[]; countedAt: CountedAt }) {
  return (
    <details>
      <summary>Show as a table</summary>
      <p>{COUNTED_AT[countedAt]}</p>
      {/* It can be focused by keyboard, because it could not be scrolled without a mouse otherwise. */}
      <div class="scroll" tabIndex={0} role="region" aria-label="Chart data">
        <table>
          <thead>
            <tr>
              <th scope="col">From</th>
              {COLUMNS.map(([name, label]) => (
                <th key={name} scope="col" class="r">
                  {label}
                </th>
              ))}
              <th scope="col" class="r">
                To the carrier: median, p95
              </th>
              <th scope="col" class="r">
                To the endpoint: median, p95
              </th>
            </tr>
          </thead>
          <tbody>
            {[...bins].reverse().map(({ at, counts, waits }) => (
              <tr key={at.getTime()}>
                <th scope="row">
                  <Time at={at} />
                </th>
                {COLUMNS.map(([name]) => (
                  <td key={name} class="r">
                    {describeCount(counts[name])}
                  </td>
                ))}
                <td class="r">{describeWaits(waits.carrier)}</td>
                <td class="r">{describeWaits(waits.endpoint)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  )
}

function describeWaits(waits: Percentiles | undefined): string {
  return waits === undefined ? '–' : `${describeMs(waits.p50Ms)}, ${describeMs(waits.p95Ms)}`
}
