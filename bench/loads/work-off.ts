import { setTimeout as sleep } from 'node:timers/promises'
import type { Installation } from '../harness/installation.js'

const LOOK_EVERY_MS = 50

export interface WorkedOff {
  perSecond: number
  doneCount: number
}

/**
 * Starts one process that has a backlog to work off, and measures how far it gets until so many are done, or within so long.
 * The clock starts when the process says that it has started, so it is still cold. The yardsticks do the same.
 */
export async function workOff(
  installation: Installation,
  name: string,
  { count, limitMs, countDone }: { count: number; limitMs: number; countDone: () => Promise<number> },
): Promise<WorkedOff> {
  const running = await installation.start(name)
  for (;;) {
    const doneCount = await countDone()
    const ms = Date.now() - running.startedAt
    if (doneCount >= count || ms >= limitMs) {
      // It is not killed, because the work that it holds would then lie idle for seconds in the next round.
      await running.end('SIGTERM')
      return { perSecond: (doneCount / ms) * 1000, doneCount }
    }
    await sleep(LOOK_EVERY_MS)
  }
}
