import { setTimeout as sleep } from 'node:timers/promises'
import { asError, Unavailable } from '../errors.js'
import type { ListenTools } from './listening.js'
import type { SentRecord } from './records.js'

/** How much may wait here for Postgres: it is stored nowhere else, so the queue needs a bound. */
const MAX_WAITING = 200
const AGAIN_MS = 1000

/**
 * Receives what the carrier says only once and nobody stores, one item after another, even while Postgres is
 * unavailable.
 */
export interface Unstored {
  enqueue: (work: () => Promise<unknown>) => void
  /** Enqueues what the carrier says about a text after its sender has stopped waiting. */
  addLate: (messageId: string, record: SentRecord) => void
  close: () => Promise<void>
}

export function createUnstored({
  log,
  receiveReceipt,
}: Pick<ListenTools, 'log' | 'receiveReceipt'>): Unstored {
  let isClosing = false
  let waitingCount = 0
  let last: Promise<void> = Promise.resolve()

  async function takeIn(work: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await work()
        return
      } catch (error) {
        if (!(error instanceof Unavailable) || isClosing) {
          log.warn({ err: asError(error) }, 'carrier.report_lost')
          return
        }
      }
      await sleep(AGAIN_MS)
    }
  }

  function enqueue(work: () => Promise<unknown>): void {
    if (waitingCount >= MAX_WAITING) {
      log.warn({ waitingCount }, 'carrier.report_lost')
      return
    }
    waitingCount += 1
    last = last.then(() => takeIn(work)).finally(() => (waitingCount -= 1))
  }

  return {
    enqueue,
    addLate: (messageId, record) => {
      enqueue(() =>
        receiveReceipt({ ...record, messageId, otherIds: [], numbers: undefined, isMarked: true }),
      )
    },
    close: async () => {
      isClosing = true
      await last
    },
  }
}
