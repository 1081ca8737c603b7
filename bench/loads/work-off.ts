import { setTimeout as sleep } from 'node:timers/promises'
import type { Installation } from '../harness/installation.js'

const LOOK_EVERY_MS = 50

export interface WorkedOff {
  perSecond: number
  doneCount: number
}

/**
 * Starts one process that has a backlog before it, and looks how far it gets: until so many are done, or for so long. The
 * clock starts when it says that it has started, cold as it is; yardsticks start theirs so too.
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
      // Not by a kill: what it holds would lie idle for seconds, in the round that comes after.
      await running.end('SIGTERM')
      return { perSecond: (doneCount / ms) * 1000, doneCount }
    }
    await sleep(LOOK_EVERY_MS)
  }
}
