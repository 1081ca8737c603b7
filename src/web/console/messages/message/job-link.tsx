import { jobIdOf } from '../../../../queues/jobs.js'
import type { QueueName } from '../../../../queues/queues.js'
import type { Page } from '../../page.js'

/**
 * For operators: the job of a row in the dashboard. There may be none any more: a message that waits for a window is kept in
 * a line of its own, and an endpoint's later events have jobs in common.
 */
export function JobLink(props: { page: Page; queue: QueueName; row: { id: string; jobGeneration: number } }) {
  const { page, queue, row } = props
  if (page.session?.role !== 'operator') return null
  return (
    <p>
      <a href={`/queues/queue/${queue}/${jobIdOf(row.id, row.jobGeneration)}`}>Its job</a> in the queue{' '}
      <a href={`/queues/queue/${queue}`}>{queue}</a>
    </p>
  )
}
