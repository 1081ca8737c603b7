import { setTimeout as sleep } from 'node:timers/promises'
import { asError, Unavailable } from '../../../errors.js'
import type { Logger } from '../../../telemetry/log.js'

/** The result of one part of the overview, or the reason why there is none. */
export type Part<Value> = { isKnown: true; value: Value } | { isKnown: false; fault: string }

/** No part may make the overview wait longer than this. */
const PART_MS = 2000

/**
 * Makes a check that runs at most once in `keptMs`, however many callers there are. If it does not return in time, its
 * part has a fault, and no second check begins before it has ended, so that a store that hangs does not get more and
 * more queries.
 *
 * @param options.of the store that it asks, such as `Postgres`
 */
export function cachedPart<Value>(
  gather: () => Promise<Value>,
  { of, keptMs, limitMs = PART_MS, log }: { of: string; keptMs: number; limitMs?: number; log: Logger },
): () => Promise<Part<Value>> {
  const late: Part<Value> = {
    isKnown: false,
    fault: `${of} did not respond within ${Math.ceil(limitMs / 1000)} s`,
  }
  let kept: { part: Part<Value>; at: number } | undefined
  let reading: { end: Promise<Part<Value>>; startedAt: number } | undefined

  const begin = () => {
    const end = gather()
      .then((value): Part<Value> => ({ isKnown: true, value }))
      .catch((error: unknown): Part<Value> => ({ isKnown: false, fault: faultOf(error, of, log) }))
      .then((part) => {
        kept = { part, at: performance.now() }
        reading = undefined
        return part
      })
    return { end, startedAt: performance.now() }
  }

  return async () => {
    if (kept !== undefined && performance.now() - kept.at < keptMs) return kept.part
    reading ??= begin()
    const leftMs = limitMs - (performance.now() - reading.startedAt)
    if (leftMs <= 0) return late
    const waiting = new AbortController()
    try {
      return await Promise.race([reading.end, sleep(leftMs, late, { signal: waiting.signal, ref: false })])
    } finally {
      waiting.abort()
    }
  }
}

function faultOf(error: unknown, of: string, log: Logger): string {
  if (error instanceof Unavailable) return error.message
  log.error({ of, err: asError(error) }, 'overview.failed')
  return `${of} could not be checked. See the log`
}
