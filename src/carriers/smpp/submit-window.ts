/** A window lets in at most `size` at a time; the others wait, first come, first served. */
export interface SubmitWindow {
  /** Counts the requests inside and those that wait. */
  count(): number
  /** @throws the signal's reason, or that of `end` */
  enter(signal: AbortSignal): Promise<void>
  leave(): void
  /** Rejects all requests that wait, and later ones. */
  end(reason: Error): void
}

interface Waiting {
  enter(): void
  fail(reason: Error): void
}

export function createSubmitWindow(size: number): SubmitWindow {
  let used = 0
  let ended: Error | undefined
  const waiting = new Set<Waiting>()
  return {
    count: () => used + waiting.size,
    enter: (signal) =>
      new Promise((resolve, reject) => {
        if (ended) {
          reject(ended)
          return
        }
        if (used < size) {
          used += 1
          resolve()
          return
        }
        const giveUp = () => {
          waiting.delete(place)
          reject(signal.reason as Error)
        }
        const place: Waiting = {
          enter: () => {
            signal.removeEventListener('abort', giveUp)
            used += 1
            resolve()
          },
          fail: (reason) => {
            signal.removeEventListener('abort', giveUp)
            reject(reason)
          },
        }
        if (signal.aborted) {
          giveUp()
          return
        }
        waiting.add(place)
        signal.addEventListener('abort', giveUp, { once: true })
      }),
    leave: () => {
      used -= 1
      const [next] = waiting
      if (next === undefined) return
      waiting.delete(next)
      next.enter()
    },
    end: (reason) => {
      ended = reason
      for (const each of waiting) each.fail(reason)
      waiting.clear()
    },
  }
}
