import { jobIdOf } from '../../../../queues/jobs.js'
import type { QueueName } from '../../../../queues/queues.js'
import type { Page } from '../../page.js'

/**
 * Links operators to a row's job in the dashboard. It may no longer exist: a message that waits for a window is kept
 * in a separate queue, and an endpoint's later events share jobs.
 */
export function JobLink(props: { page: Page; queue: QueueName; row: { id: string; jobGeneration: number } }) {
  const { page, queue, row } = props
  if (page.session?.role !== 'operator') return null
  return (
    <p>
      <a href={`/queues/queue/${queue}/${jobIdOf(row.id, row.jobGeneration)}`}>Job</a> in the queue{' '}
      <a href={`/queues/queue/${queue}`}>{queue}</a>
    </p>
  )
}
