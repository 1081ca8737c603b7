import { describeCount, describeMs } from '../../../../domain/operating/overview/figures.js'
import { MAX_WAITING, type QueueView } from '../../../../domain/operating/overview/queues.js'
import { Words } from './words.js'

const MOODS = { normal: 'good', behind: 'waiting', stuck: 'bad' }

export function Queues({ queues }: { queues: readonly QueueView[] }) {
  return (
    <table class="rows">
      <thead>
        <tr>
          <th>Queue</th>
          <th>State</th>
          <th>Waiting</th>
          <th>In progress</th>
          <th>Oldest</th>
          <th>Last minute</th>
          <th>Workers</th>
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
                <span class={`badge ${MOODS[queue.state]}`}>{queue.state}</span> <Words>{queue.why}</Words>
              </span>
            </td>
            <td data-label="Waiting">{waiting(queue.waitingCount)}</td>
            <td data-label="In progress" class="wide">
              {figure(queue.underWayCount, describeCount)}
            </td>
            <td data-label="Oldest" class="wide">
              {figure(queue.oldestMs, describeMs)}
            </td>
            <td data-label="Last minute">{figure(queue.perMinute, describeCount)}</td>
            <td data-label="Workers">{figure(queue.workers, describeCount)}</td>
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
