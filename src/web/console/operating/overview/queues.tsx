import { describeCount, describeMs } from '../../../../domain/operating/overview/figures.js'
import { MAX_WAITING, type QueueView } from '../../../../domain/operating/overview/queues.js'
import { Words } from '../../parts/words.js'

const MOODS = { normal: 'good', behind: 'waiting', stuck: 'bad' }

export function Queues({ queues }: { queues: readonly QueueView[] }) {
  return (
    <table class="rows queues">
      <thead>
        <tr>
          <th>Queue</th>
          <th>State</th>
          <th class="r">Waiting</th>
          <th class="r">In progress</th>
          <th class="r">Oldest</th>
          <th class="r">Last minute</th>
          <th class="r">Workers</th>
        </tr>
      </thead>
      <tbody>
        {queues.map((queue) => (
          <tr key={queue.name}>
            <td data-label="Queue">
              <a href="/queues">{queue.name}</a>
            </td>
            <td data-label="State">
              <span>
                <span class={`badge ${MOODS[queue.state]}`}>{queue.state}</span>{' '}
                <span class="muted">
                  <Words>{queue.why}</Words>
                </span>
              </span>
            </td>
            <td data-label="Waiting" class="r">
              {waiting(queue.waitingCount)}
            </td>
            <td data-label="In progress" class="r wide">
              {figure(queue.underWayCount, describeCount)}
            </td>
            <td data-label="Oldest" class="r wide">
              {figure(queue.oldestMs, describeMs)}
            </td>
            <td data-label="Last minute" class="r">
              {figure(queue.perMinute, describeCount)}
            </td>
            <td data-label="Workers" class="r">
              {figure(queue.workers, describeCount)}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function waiting(count: number | null): string {
  if (count !== null && count > MAX_WAITING) return `more than ${describeCount(MAX_WAITING)}`
  return figure(count, describeCount)
}

function figure(value: number | null, describe: (value: number) => string): string {
  return value === null ? '–' : describe(value)
}
