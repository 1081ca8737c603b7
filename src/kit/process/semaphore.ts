import { Unavailable } from '../../errors.js'

/**
 * Runs work a few at a time.
 *
 * @throws Unavailable if too many wait already
 */
export type Semaphore = <T>(work: () => Promise<T>) => Promise<T>

/** @param options.busy the error's message when too many wait */
export function createSemaphore(options: { atOnce: number; maxWaiting: number; busy: string }): Semaphore {
  const { atOnce, maxWaiting, busy } = options
  let runningCount = 0
  const waiting: (() => void)[] = []

  return async (work) => {
    if (runningCount < atOnce) runningCount += 1
    else if (waiting.length < maxWaiting) await new Promise<void>((resolve) => waiting.push(resolve))
    else throw new Unavailable(busy, 2)
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else runningCount -= 1
    }
  }
}
