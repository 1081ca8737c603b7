import { asError } from '../../errors.js'
import type { Logger } from '../../telemetry/log.js'

export interface Timer {
  /** Resolves when the run that is under way, if any, is over. */
  stop(): Promise<void>
}

/** Runs work again and again, `ms` after the last run ended; a run that fails is logged and the next one comes. */
export function every(ms: number, work: () => Promise<unknown>, log: Logger, what: string): Timer {
  let timer: NodeJS.Timeout | undefined
  let running = Promise.resolve()
  let isStopped = false
  const run = async () => {
    try {
      await work()
    } catch (error) {
      log.warn({ what, err: asError(error) }, 'timer.failed')
    }
    // Stopped while it ran: `stop` waits for this run and there must be no next one.
    if (!isStopped) timer = setTimeout(start, ms)
  }
  const start = () => {
    running = run()
  }
  start()
  return {
    stop: async () => {
      isStopped = true
      clearTimeout(timer)
      await running
    },
  }
}
