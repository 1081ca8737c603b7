import { available } from '../../database/connection.js'
import type { Changes } from '../../database/messages/announcing.js'
import { requeueHeads } from '../../database/messages/turns.js'
import type { Context } from '../context.js'

/**
 * What receipts bring about, once they are committed: events that tell of them, and the turn of the next message to
 * a number whose message was under way (its worker died, or has not been answered yet).
 */
export async function followReceipts(
  { db, queues }: Context,
  { changed, deliveries }: Changes,
): Promise<void> {
  void queues.enqueueDeliveries(deliveries)
  const over = changed.filter(({ statusBefore }) => statusBefore === 'sending' || statusBefore === 'queued')
  if (over.length > 0) void queues.enqueueMessages(await available(() => requeueHeads(db, over)))
}
