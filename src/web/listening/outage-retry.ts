import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../../errors.js'

export interface OutageRetryOptions {
  /** No new attempt begins after this time. */
  waitMs: number
  /** The number that may wait at the same time; the next ones are answered immediately. */
  maxWaiting: number
  pauseMs?: number
}

/**
 * Waits for Postgres on behalf of a caller that will not repeat its request: while Postgres is unavailable, it retries
 * after a pause, for as long as the caller waits. Each waiting request holds memory and a socket, so their number is
 * limited.
 */
export function createOutageRetry({
  waitMs,
  maxWaiting,
  pauseMs = 500,
}: OutageRetryOptions): <T>(work: () => Promise<T>, callerWaitsMs?: number) => Promise<T> {
  let waiting = 0

  async function tryUntil<T>(endsAt: number, work: () => Promise<T>): Promise<T> {
    for (;;) {
      await sleep(pauseMs)
      try {
        return await work()
      } catch (error) {
        if (!(error instanceof Unavailable) || performance.now() + pauseMs > endsAt) throw error
      }
    }
  }

  return async (work, callerWaitsMs = waitMs) => {
    const endsAt = performance.now() + callerWaitsMs
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Unavailable) || waiting >= maxWaiting) throw error
    }
    waiting += 1
    try {
      return await tryUntil(endsAt, work)
    } finally {
      waiting -= 1
    }
  }
}
