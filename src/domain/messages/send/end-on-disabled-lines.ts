import {
  failOnDisabledLine,
  listDisabledLines,
  noteNothingWaits,
} from '../../../database/messages/scheduling.js'
import type { Context } from '../../context.js'
import { givePlacesBack } from './give-places-back.js'
import { tellFailed } from './send-outcome.js'

/** Each batch is a transaction that locks its messages. */
const BATCH = 500

/**
 * Ends the messages that waited when their line was disabled. Disabling only records it in the row, so that nothing is
 * left if a process dies on the way: the next one continues. Any number of processes may do it concurrently.
 */
export async function endOnDisabledLines(context: Context): Promise<void> {
  for (const line of await listDisabledLines(context.db)) {
    await endOnDisabledLine(context, line.id)
    await noteNothingWaits(context.db, line)
  }
}

/**
 * Also called before a line is enabled, so that nothing that was waiting goes out. Does nothing if the line is active.
 */
export async function endOnDisabledLine(context: Context, lineId: string): Promise<void> {
  const { db, queues } = context
  for (;;) {
    const { failed, deliveries, left } = await failOnDisabledLine(db, lineId, BATCH)
    tellFailed(context, failed, 'line_disabled')
    void queues.enqueueDeliveries(deliveries)
    void givePlacesBack(context, left)
    if (failed.length === 0) return
  }
}
