import { setTimeout as sleep } from 'node:timers/promises'
import { countQueued } from '../../../database/messages/queueing.js'
import type { Context } from '../../context.js'
import { FRESH_MS } from './line-backlogs.js'

/** Each process reads the figure at most once a second: the bound guards against a flood, and need not be exact. */
const readings = new WeakMap<Context['db'], Reading>()
interface Reading {
  readAt: number
  isFull: boolean | Promise<boolean>
  /** True until Postgres has answered. There is one look at a time. */
  isLooking: boolean
}

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
  if (reading === undefined || (!reading.isLooking && now - reading.readAt > FRESH_MS)) {
    const before = reading?.isFull === true
    const looking = read(context)
    const isFull = Promise.race([looking, sleep(READING_MS, before, { ref: false })])
    const begun: Reading = { readAt: now, isFull, isLooking: true }
    const keep = (found: boolean) => (begun.isFull = found)
    // The next caller reads again instead of getting the same failure.
    isFull.then(keep, () => readings.delete(db))
    // It counts also if it took longer: each look may, while many wait and Postgres is busy.
    void looking.then(keep, () => undefined).then(() => (begun.isLooking = false))
    reading = begun
    readings.set(db, begun)
  }
  return reading.isFull
}

async function read({ db, config: { maxQueuedMessages } }: Context): Promise<boolean> {
  return (await countQueued(db, maxQueuedMessages)) >= maxQueuedMessages
}
