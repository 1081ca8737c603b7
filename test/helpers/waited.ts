/** Longer than most turns of the event loop, and short beside what is measured. */
const TICK_MS = 20

/** Milliseconds that `act` takes, without those in which this process was busy or a busy machine gave it no turn. */
export async function waitedMs(act: () => Promise<unknown>): Promise<number> {
  let waited = 0
  let seenAt = performance.now()
  const look = () => {
    const now = performance.now()
    waited += Math.min(now - seenAt, TICK_MS)
    seenAt = now
  }
  const ticks = setInterval(look, TICK_MS)
  try {
    await act()
    look()
    return waited
  } finally {
    clearInterval(ticks)
  }
}
