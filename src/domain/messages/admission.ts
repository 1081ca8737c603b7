import { countQueued } from '../../database/messages/queueing.js'
import type { Context } from '../context.js'

const FRESH_MS = 1000

/** Each process reads the figure once a second at most: the bound is against a flood, and need not be exact. */
const readings = new WeakMap<Context, { readAt: number; isFull: Promise<boolean> }>()

/**
 * Whether so many messages wait in all that new ones are refused. A message that is accepted should be sent soon, not
 * grow old in a queue.
 *
 * @throws Unavailable
 */
export async function isBacklogFull(context: Context, now = Date.now()): Promise<boolean> {
  let reading = readings.get(context)
  if (reading === undefined || now - reading.readAt > FRESH_MS) {
    reading = { readAt: now, isFull: read(context) }
    readings.set(context, reading)
    // The next caller reads again instead of getting the same failure.
    reading.isFull.catch(() => readings.delete(context))
  }
  return reading.isFull
}

async function read({ db, config: { maxQueuedMessages } }: Context): Promise<boolean> {
  return (await countQueued(db, maxQueuedMessages)) >= maxQueuedMessages
}
