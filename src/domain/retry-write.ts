import { setTimeout as sleep } from 'node:timers/promises'
import { Unavailable } from '../errors.js'

/** Ten tries a second apart: an outage of some seconds is survived, and then the worker is free again. */
const TRIES = 10
const PAUSE_MS = 1000

/**
 * Records what has happened in the outside world. If Postgres is away for a moment, waiting is better than giving up:
 * without this write a sent text becomes `unknown`, and a delivered event is delivered twice.
 *
 * @throws Unavailable after about 10 s
 */
export async function retryWrite(write: () => Promise<unknown>): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await write()
      return
    } catch (error) {
      if (!(error instanceof Unavailable) || tries === TRIES) throw error
      await sleep(PAUSE_MS)
    }
  }
}
