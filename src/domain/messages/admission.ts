import { available } from '../../database/connection.js'
import { countQueued } from '../../database/messages/accept.js'
import { Unavailable } from '../../errors.js'
import type { Context } from '../context.js'

const FRESH_MS = 1000

interface Depth {
  isFull: boolean
  readAt: number
}

/** One figure per process, read at most once a second: the bound is against a flood, not a limit to the message. */
const depths = new WeakMap<Context, Promise<Depth>>()

/**
 * Refuses new messages while too many wait in all: what is accepted is to be sent, not to grow old in a queue.
 *
 * @throws Unavailable
 */
export async function requireRoom(context: Context, now = Date.now()): Promise<void> {
  let depth = depths.get(context)
  if (depth === undefined || now - (await depth.catch(() => ({ readAt: 0 }))).readAt > FRESH_MS) {
    const current = depths.get(context)
    // Another request may have begun to read while this one waited.
    depth = current === depth || current === undefined ? read(context, now) : current
    depths.set(context, depth)
  }
  if ((await depth).isFull) throw new Unavailable('too many messages wait', 10)
}

async function read(context: Context, now: number): Promise<Depth> {
  const limit = context.config.maxQueuedMessages
  const count = await available(() => countQueued(context.db, limit))
  return { isFull: count >= limit, readAt: now }
}
