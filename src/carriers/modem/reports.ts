import { setTimeout as sleep } from 'node:timers/promises'
import { asError, Unavailable } from '../../errors.js'
import type { ListenTools } from '../listening.js'
import { takePdu } from './inbox.js'
import type { ReadyModem } from './modem.js'
import type { ModemSettings } from './settings.js'

/** Reports that are stored nowhere wait for Postgres, but not without a bound. */
const MAX_REPORTS = 200
const REPORT_AGAIN_MS = 1000

/** Hands over what is stored nowhere, one after another, also while Postgres is away. */
export function createReports(settings: ModemSettings, tools: ListenTools) {
  let isClosing = false
  let waitingCount = 0
  let last: Promise<void> = Promise.resolve()

  async function handOver(work: () => Promise<unknown>): Promise<void> {
    for (;;) {
      try {
        await work()
        return
      } catch (error) {
        if (!(error instanceof Unavailable) || isClosing) {
          tools.log.warn({ err: asError(error) }, 'modem.report_lost')
          return
        }
      }
      await sleep(REPORT_AGAIN_MS)
    }
  }

  function enqueue(work: () => Promise<unknown>): void {
    if (waitingCount >= MAX_REPORTS) return
    waitingCount += 1
    last = last.then(() => handOver(work)).finally(() => (waitingCount -= 1))
  }

  return {
    add: (tpdu: Buffer) => {
      enqueue(() => takePdu(tpdu, settings, tools))
    },
    addLate: (messageId: string, record: Parameters<ReadyModem['onLate']>[1]) => {
      enqueue(() =>
        tools.receiveReceipt({ ...record, messageId, otherIds: [], numbers: undefined, isMarked: true }),
      )
    },
    close: async () => {
      isClosing = true
      await last
    },
  }
}
