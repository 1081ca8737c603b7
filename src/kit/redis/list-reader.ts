import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'

/**
 * How long one BLPOP waits. Redis is silent meanwhile, so it must be less than `SILENCE_MS` (`redis.ts`) and than
 * CLOSE_MS.
 */
const WAIT_SECONDS = 1
/** Without a pause, a Redis that answers with errors would be asked as fast as the processor allows. */
const AFTER_ERROR_MS = 200
/** How long closing waits for the answer to the last BLPOP. After that, what the answer brings is lost. */
const CLOSE_MS = 2000

/**
 * Takes what is pushed on a list in Redis, at most `concurrency` at a time, until it is closed: then what was taken
 * is brought to its end.
 *
 * @param connection of its own, because it blocks; ended with it
 */
export function readList(
  connection: Redis,
  key: string,
  { concurrency, take }: { concurrency: number; take: (line: string) => Promise<void> | void },
): { close(): Promise<void> } {
  const taking = new Set<Promise<void>>()
  let isClosed = false

  async function read(): Promise<void> {
    while (!isClosed) {
      if (taking.size >= concurrency) await Promise.race(taking).catch(() => undefined)
      else await takeNext()
    }
  }

  async function takeNext(): Promise<void> {
    try {
      const [, line] = (await connection.blpop(key, WAIT_SECONDS)) ?? []
      if (line === undefined) return
      const job = (async () => take(line))().finally(() => taking.delete(job))
      job.catch(() => undefined)
      taking.add(job)
    } catch {
      if (!isClosed) await sleep(AFTER_ERROR_MS)
    }
  }

  const reading = read()
  return {
    close: async () => {
      isClosed = true
      await Promise.race([reading, sleep(CLOSE_MS, undefined, { ref: false })])
      connection.disconnect()
      await Promise.allSettled(taking)
    },
  }
}
