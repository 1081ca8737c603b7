import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until `look` gives something other than undefined or false, and gives that back. What it threw last, or
 * saw last, is in the error when it never does.
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 10_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs
  let lastError: unknown
  while (Date.now() < deadline) {
    try {
      const seen = await look()
      if (seen !== undefined && seen !== false) return seen
      lastError = undefined
    } catch (error) {
      lastError = error
    }
    await sleep(25)
  }
  throw new Error(`not within ${timeoutMs} ms: ${what}`, { cause: lastError })
}
