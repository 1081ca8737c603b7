import { setTimeout as sleep } from 'node:timers/promises'
import { CarrierUnavailable, type Pace } from '../carrier.js'

/**
 * Lets the requests of an account pass one after another, first come, first served, evenly spread over its pace. Texts
 * begin at the pace, but some after more of a delay than others, and their parts would follow as fast as the SMSC
 * answers. The SMSC counts what arrives in any second by its own clock.
 *
 * @param longestMs a part waits no longer than this for the one before, or the time for the whole text would run out
 * @returns a function that resolves when the next request may go, and throws CarrierUnavailable if that is too late
 */
export function createGate(longestMs: number): (pace: Pace, signal: AbortSignal) => Promise<void> {
  let nextAt = -Infinity
  return async ({ limit, lengthMs }, signal) => {
    const now = performance.now()
    const at = Math.max(now, nextAt)
    nextAt = at + Math.min(lengthMs / limit, longestMs)
    if (at === now) return
    // A timer may be a little early.
    await sleep(Math.ceil(at - now) + 1, undefined, { signal }).catch(() => {
      throw new CarrierUnavailable("the account's pace left no time for it")
    })
  }
}
