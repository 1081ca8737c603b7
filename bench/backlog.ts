import type { Context } from '../src/domain/context.js'
import type { Installation } from './harness/installation.js'
import { insertPendingDeliveries, insertQueuedMessages, type LineRow } from './rows.js'

/** What Redis takes within the time that a command may take. */
const CHUNK = 2000

/** Messages that wait, with their jobs: as they are when `web` has accepted them and nobody has sent them yet. */
export async function queueMessages(
  installation: Installation,
  lines: readonly LineRow[],
  count: number,
): Promise<void> {
  const ids = await insertQueuedMessages(installation.sql, lines, count)
  const jobs = ids.map((id) => ({ id, generation: 0 }))
  await enqueue(installation, 'sendMessage', jobs, jobs.length, (queues, chunk) =>
    queues.enqueueMessages(chunk),
  )
}

/** Deliveries that wait, with their jobs. */
export async function queueDeliveries(
  installation: Installation,
  lines: readonly LineRow[],
  count: number,
): Promise<void> {
  const rows = await insertPendingDeliveries(installation.sql, lines, count)
  const jobs = rows.map((row) => ({ ...row, generation: 0 }))
  // One job for an endpoint, and all that waits for it.
  const expected = new Set(jobs.map(({ endpointId }) => endpointId)).size
  await enqueue(installation, 'deliverEvent', jobs, expected, (queues, chunk) =>
    queues.enqueueDeliveries(chunk),
  )
}

/** Enqueuing never says that it failed, since the sweep would mend it: here it must not. */
async function enqueue<Job>(
  installation: Installation,
  queue: 'sendMessage' | 'deliverEvent',
  jobs: readonly Job[],
  expected: number,
  add: (queues: Context['queues'], chunk: readonly Job[]) => Promise<void>,
): Promise<void> {
  await installation.prepare(async ({ queues }) => {
    const before = await queues[queue].count()
    for (let n = 0; n < jobs.length; n += CHUNK) await add(queues, jobs.slice(n, n + CHUNK))
    const added = (await queues[queue].count()) - before
    if (added < expected) throw new Error(`only ${added} of ${expected} jobs were taken`)
  })
}
