import { setTimeout as sleep } from 'node:timers/promises'

/** Tells that there is something to look at. */
export function createBell() {
  let isRung = false
  let wake: () => void = () => undefined
  return {
    ring: () => {
      isRung = true
      wake()
    },
    silence: () => {
      isRung = false
    },
    /** Resolves when it has been rung since the silence, or after this time. */
    wait: async (ms: number, signal: AbortSignal) => {
      if (isRung) return
      const rung = new AbortController()
      wake = () => {
        rung.abort()
      }
      const either = AbortSignal.any([signal, rung.signal])
      await sleep(ms, undefined, { signal: either }).catch(() => undefined)
    },
  }
}
