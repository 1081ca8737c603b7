import { setTimeout as sleep } from 'node:timers/promises'
import { countQueued } from '../../../database/messages/queueing.js'
import type { Context } from '../../context.js'
import { FRESH_MS } from './line-backlogs.js'

/** Each process reads the figure at most once a second: the bound guards against a flood, and need not be exact. */
const readings = new WeakMap<Context['db'], { readAt: number; isFull: boolean | Promise<boolean> }>()
/** A Postgres that takes longer is busy or hangs. Callers should not have to wait until that is clear. */
const READING_MS = 200

/**
 * True if so many messages are waiting in total that new ones are refused. An accepted message should be sent soon,
 * not grow old in a queue.
 *
 * @param now milliseconds by a clock that is never set back: otherwise "full" would last until it has caught up
 * @throws Unavailable
 */
export async function isBacklogFull(context: Context, now = performance.now()): Promise<boolean> {
  const { db } = context
  let reading = readings.get(db)
  if (reading === undefined || now - reading.readAt > FRESH_MS) {
    const before = reading?.isFull === true
    const begun = { readAt: now, isFull: read(context) as boolean | Promise<boolean> }
    const isFull = Promise.race([begun.isFull, sleep(READING_MS, before, { ref: false })])
    isFull.then(
      (found) => (begun.isFull = found),
      // The next caller reads again instead of getting the same failure.
      () => readings.delete(db),
    )
    begun.isFull = isFull
    reading = begun
    readings.set(db, begun)
  }
  return reading.isFull
}

async function read({ db, config: { maxQueuedMessages } }: Context): Promise<boolean> {
  return (await countQueued(db, maxQueuedMessages)) >= maxQueuedMessages
}
