import { tookTooLong } from '../src/database/outage.js'
import type { Context } from '../src/domain/context.js'
import { asError, Unavailable } from '../src/errors.js'
import { TryAgainIn } from './worker-story.js'

/** Postgres may have been busy just then. */
const SLOW_WAIT_MS = 600_000
/** More would not help against a statement that is always too slow. */
const MAX_SLOW = 3

/**
 * Makes the handler of a daily job: when its work fails, the job of the next day is the retry. If this one came back by
 * itself until it succeeds, another would join it every day. It comes back a few times in a row after a statement that
 * took too long, and for as long as Postgres or Redis is away.
 */
export function onceADay(
  name: string,
  work: (context: Context) => Promise<void>,
): (context: Context) => Promise<void> {
  let slowCount = 0
  return async (context) => {
    try {
      await work(context)
      slowCount = 0
    } catch (error) {
      // It has done a part.
      if (error instanceof TryAgainIn) slowCount = 0
      const isSlow = tookTooLong(error)
      if (error instanceof TryAgainIn || (error instanceof Unavailable && !isSlow)) throw error
      const err = asError(error)
      if (isSlow && slowCount < MAX_SLOW) {
        slowCount += 1
        context.log.warn({ err, retryInMs: SLOW_WAIT_MS }, `${name}.too_slow`)
        throw new TryAgainIn(SLOW_WAIT_MS)
      }
      slowCount = 0
      context.log.error({ err }, `${name}.failed`)
    }
  }
}
