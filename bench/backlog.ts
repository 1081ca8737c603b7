import type { Context } from '../src/domain/context.js'
import type { Installation } from './harness/installation.js'
import type { Seeds } from './lines.js'
import { insertPendingDeliveries, insertQueuedMessages, type LineRow } from './rows.js'

/** Redis takes so many jobs within the time that a command may take. */
const CHUNK = 2000

/** Makes messages that wait, with their jobs, as `web` leaves them before anyone has sent them. */
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

/** Makes messages that wait in the lane of an account with sessions, as `web` leaves them. */
export async function queueInLane(
  installation: Installation,
  { lines, accountId }: Seeds,
  count: number,
): Promise<void> {
  const ids = await insertQueuedMessages(installation.sql, lines, count)
  await installation.prepare(async ({ accountLanes }) => {
    for (let n = 0; n < count; n += CHUNK) await accountLanes.put(accountId, ids.slice(n, n + CHUNK))
  })
}

/** Makes deliveries that wait, with their jobs. */
export async function queueDeliveries(
  installation: Installation,
  lines: readonly LineRow[],
  count: number,
): Promise<void> {
  const rows = await insertPendingDeliveries(installation.sql, lines, count)
  const jobs = rows.map((row) => ({ ...row, generation: 0 }))
  // There is one job for each endpoint, whatever number of deliveries waits for it.
  const expected = new Set(jobs.map(({ endpointId }) => endpointId)).size
  await enqueue(installation, 'deliverEvent', jobs, expected, (queues, chunk) =>
    queues.enqueueDeliveries(chunk),
  )
}

/**
 * Enqueuing never says that it failed, because the sweep would mend that. Here nothing may fail, so the jobs are
 * counted.
 */
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
