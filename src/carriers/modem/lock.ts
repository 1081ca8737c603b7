/** Lets one caller in at a time, in the order in which they ask. */
export type Lock = (limitMs?: number) => Promise<(() => void) | undefined>

/**
 * Makes a lock. It resolves when it is free, to a function that releases it, or to undefined if the wait was too long.
 */
export function createLock(): Lock {
  const queue: (() => void)[] = []
  let isTaken = false
  const leave = () => {
    const next = queue.shift()
    if (next === undefined) isTaken = false
    else next()
  }
  return async (limitMs) => {
    if (!isTaken) {
      isTaken = true
      return leave
    }
    return new Promise((resolve) => {
      const giveUp = () => {
        queue.splice(queue.indexOf(turn), 1)
        resolve(undefined)
      }
      const timer = limitMs === undefined ? undefined : setTimeout(giveUp, limitMs)
      const turn = () => {
        clearTimeout(timer)
        resolve(leave)
      }
      queue.push(turn)
    })
  }
}
