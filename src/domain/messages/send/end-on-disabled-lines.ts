import { setTimeout as sleep } from 'node:timers/promises'
import {
  failOnDisabledLine,
  hasWaitingOnDisabledLine,
  listDisabledLines,
  noteNothingWaits,
} from '../../../database/messages/scheduling.js'
import type { Context } from '../../context.js'
import { givePlacesBack } from './give-places-back.js'
import { tellFailed } from './send-outcome.js'

/** Each batch is a transaction that locks its messages. */
const BATCH = 500
/** A message that somebody has locked is free after this. */
const LOCKED_MS = 100

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
 * Does the same for one line that is about to be enabled. It returns only when nothing waits any more: the sweep or a
 * worker may have a message locked just now, and passed over, it would go out. Does nothing if the line is active.
 */
export async function endBeforeEnabling(context: Context, lineId: string): Promise<void> {
  for (;;) {
    await endOnDisabledLine(context, lineId)
    if (!(await hasWaitingOnDisabledLine(context.db, lineId))) return
    await sleep(LOCKED_MS)
  }
}

async function endOnDisabledLine(context: Context, lineId: string): Promise<void> {
  const { db, queues } = context
  for (;;) {
    const { failed, deliveries, left } = await failOnDisabledLine(db, lineId, BATCH)
    tellFailed(context, failed, 'line_disabled')
    void queues.enqueueDeliveries(deliveries)
    void givePlacesBack(context, left)
    if (failed.length === 0) return
  }
}
