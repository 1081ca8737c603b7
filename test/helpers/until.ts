import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Waits until `look` gives something other than undefined or false, and gives that back. What it threw last is
 * the cause of the error when it never does.
 *
 * @param what completes "not within … ms: "; a function tells what is known by then
 */
export async function until<T>(
  what: string | (() => string),
  look: () => T | undefined | false | Promise<T | undefined | false>,
  timeoutMs = 30_000,
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
  const description = typeof what === 'string' ? what : what()
  throw new Error(`not within ${timeoutMs} ms: ${description}`, { cause: lastError })
}
