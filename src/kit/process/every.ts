import { asError } from '../../errors.js'
import type { Logger } from '../../telemetry/log.js'

export interface Timer {
  /** Resolves when the current run, if any, is over. */
  stop(): Promise<void>
}

/** Runs work repeatedly, `ms` after the last run ended. A run that fails is logged, and the next one follows. */
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
    // If it was stopped during the run, `stop` waits for this run, and there must be no next one.
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
