import { Unavailable } from '../../errors.js'

interface Options {
  maxWaiting: number
  /** How many tasks of one owner may wait, so that no owner fills the whole queue. */
  maxWaitingEach: number
  /** The reason for a refusal, as a sentence without a full stop. */
  busy: string
}

/**
 * Does one thing at a time, and owners take turns: the first task of each owner comes before the second task of any. So
 * an owner with many tasks, or with slow ones, holds up the others by at most one task.
 *
 * @returns a function that runs the work when its turn has come; it throws Unavailable if too much waits already
 */
export function createFairQueue({ maxWaiting, maxWaitingEach, busy }: Options) {
  /** The owner whose turn is next comes first. */
  const waiting = new Map<string, (() => void)[]>()
  let waitingCount = 0
  let isBusy = false

  const next = (last: string): void => {
    // Owners that arrived during its turn come before its next one.
    const again = waiting.get(last)
    if (again !== undefined) {
      waiting.delete(last)
      waiting.set(last, again)
    }
    const [first] = waiting
    if (first === undefined) {
      isBusy = false
      return
    }
    const [owner, [begin, ...rest]] = first
    if (rest.length > 0) waiting.set(owner, rest)
    else waiting.delete(owner)
    waitingCount--
    begin?.()
  }

  return async <Result>(owner: string, work: () => Promise<Result>): Promise<Result> => {
    if (isBusy) {
      const own = waiting.get(owner) ?? []
      if (waitingCount >= maxWaiting || own.length >= maxWaitingEach) throw new Unavailable(busy)
      waitingCount++
      await new Promise<void>((begin) => waiting.set(owner, [...own, begin]))
    }
    isBusy = true
    try {
      return await work()
    } finally {
      next(owner)
    }
  }
}
