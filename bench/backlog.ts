import type { Installation } from './harness/installation.js'
import { insertPendingDeliveries, insertQueuedMessages, type LineRow } from './rows.js'

/** Messages that wait, with their jobs: as they are when `web` has accepted them and nobody has sent them yet. */
export async function queueMessages(
  { sql, prepare }: Installation,
  lines: readonly LineRow[],
  count: number,
): Promise<void> {
  const ids = await insertQueuedMessages(sql, lines, count)
  await prepare(({ queues }) => queues.enqueueMessages(ids.map((id) => ({ id, generation: 0 }))))
}

/** Deliveries that wait, with their jobs. */
export async function queueDeliveries(
  { sql, prepare }: Installation,
  lines: readonly LineRow[],
  count: number,
): Promise<void> {
  const rows = await insertPendingDeliveries(sql, lines, count)
  await prepare(({ queues }) => queues.enqueueDeliveries(rows.map((row) => ({ ...row, generation: 0 }))))
}
