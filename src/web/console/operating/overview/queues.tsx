import { describeCount, describeMs } from '../../../../domain/operating/overview/figures.js'
import { MAX_WAITING, type QueueView } from '../../../../domain/operating/overview/queues.js'
import { Table } from '../../parts/table.js'
import { Words } from '../../parts/words.js'

const MOODS = { normal: 'good', behind: 'waiting', stuck: 'bad' }

export function Queues({ queues }: { queues: readonly QueueView[] }) {
  return (
    <Table
      rows={queues}
      class="queues"
      columns={{
        Queue: ({ name }) => <a href="/queues">{name}</a>,
        State: ({ state, why }) => (
          <span>
            <span class={`badge ${MOODS[state]}`}>{state}</span>{' '}
            <span class="muted">
              <Words>{why}</Words>
            </span>
          </span>
        ),
        Waiting: ({ waitingCount }) => waiting(waitingCount),
        'In progress': ({ underWayCount }) => figure(underWayCount, describeCount),
        Oldest: ({ oldestMs }) => figure(oldestMs, describeMs),
        'Last minute': ({ perMinute }) => figure(perMinute, describeCount),
        Workers: ({ workers }) => figure(workers, describeCount),
      }}
      looks={{ Waiting: 'r', 'In progress': 'r wide', Oldest: 'r wide', 'Last minute': 'r', Workers: 'r' }}
    />
  )
}

function waiting(count: number | null): string {
  if (count !== null && count > MAX_WAITING) return `more than ${describeCount(MAX_WAITING)}`
  return figure(count, describeCount)
}

function figure(value: number | null, describe: (value: number) => string): string {
  return value === null ? '–' : describe(value)
}
