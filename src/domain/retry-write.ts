import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../errors.js'
import type { Context } from './context.js'

const PAUSE_MS = 1000

/**
 * Records what has happened in the outside world. Without this write a sent text becomes `unknown`, and a delivered
 * event is delivered twice. So it is retried until Postgres answers, or until the process closes: the process has
 * nothing else to do without Postgres, and holds no more of these than it has slots.
 *
 * @param pauseMs only tests give another
 * @throws Unavailable if the process closes
 */
export async function retryWrite(
  { closing }: Pick<Context, 'closing'>,
  write: () => Promise<unknown>,
  pauseMs = PAUSE_MS,
): Promise<void> {
  for (;;) {
    try {
      await write()
      return
    } catch (error) {
      if (!(error instanceof Unavailable) || closing.aborted) throw error
      await sleep(pauseMs, undefined, { signal: closing }).catch(() => undefined)
    }
  }
}
