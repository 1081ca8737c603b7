import { setTimeout as sleep } from 'node:timers/promises'
import type { ReceiptOutcome } from '../../domain/messages/receipts.js'

export interface EarlyReceiptOptions {
  /** When to look for a message again, in ms after the request arrived. */
  againAtMs: readonly number[]
  /** The number of receipts that may wait at the same time; for any more, we look only once. */
  maxWaiting: number
}

/**
 * Looks again for the message of a receipt that finds none. A carrier may report on a message before the worker has
 * recorded the carrier's id of it, and does not repeat a report that got a success response. A receipt for another
 * system's message waits in vain, holding a socket and a body, so their number is limited. The moments are those of the
 * request: a hundred receipts in it wait no longer than one.
 */
export function createEarlyReceipts({
  againAtMs,
  maxWaiting,
}: EarlyReceiptOptions): (
  requestedAt: number,
  look: () => Promise<ReceiptOutcome>,
) => Promise<ReceiptOutcome> {
  let waiting = 0

  async function lookAgain(
    requestedAt: number,
    look: () => Promise<ReceiptOutcome>,
  ): Promise<ReceiptOutcome> {
    const now = performance.now()
    const moments = againAtMs.map((ms) => requestedAt + ms).filter((moment) => moment > now)
    for (const moment of moments) {
      await sleep(Math.max(0, moment - performance.now()))
      const outcome = await look()
      if (outcome !== 'of_nothing') return outcome
    }
    return 'of_nothing'
  }

  return async (requestedAt, look) => {
    const outcome = await look()
    if (outcome !== 'of_nothing' || waiting >= maxWaiting) return outcome
    waiting += 1
    try {
      return await lookAgain(requestedAt, look)
    } finally {
      waiting -= 1
    }
  }
}
