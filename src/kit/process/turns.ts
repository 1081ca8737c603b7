import { Unavailable } from '../../errors.js'

interface Options {
  maxWaiting: number
  /** The most of one owner, so that nobody fills the whole line. */
  maxWaitingEach: number
  /** Why it has to be refused, as a sentence without a full stop. */
  busy: string
}

/**
 * Does one thing at a time, by turns of whose it is: the first that waits of each owner comes before the second of any.
 * So whoever has much to do, or what takes long, holds up the others by one thing of his at most.
 *
 * @returns runs the work when its turn has come. It throws Unavailable when too much waits already
 */
export function createTurns({ maxWaiting, maxWaitingEach, busy }: Options) {
  /** The owner whose turn is next comes first. */
  const waiting = new Map<string, (() => void)[]>()
  let waitingCount = 0
  let isBusy = false

  const next = (): void => {
    const [first] = waiting
    if (first === undefined) {
      isBusy = false
      return
    }
    const [owner, [begin, ...rest]] = first
    waiting.delete(owner)
    if (rest.length > 0) waiting.set(owner, rest)
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
      next()
    }
  }
}
