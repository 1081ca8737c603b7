import { backoffMs, type Backoff } from '../backoff.js'

/** With the waits below they take more than two days: an endpoint may be down for a weekend. */
export const MAX_ATTEMPTS = 10
/** There is at least one attempt a day, so that nobody waits for days after an endpoint is back. */
const CAP_MS = 24 * 3_600_000

/** With the default base: 5 s, 20 s, 80 s, 5 min, 21 min, 85 min, 5.7 h, 22.8 h, 24 h. */
export function retrySchedule(baseMs: number): Backoff {
  return { baseMs, factor: 4, capMs: CAP_MS, jitter: 0.2 }
}

/**
 * When to try again after the nth attempt of a round; undefined when it was the last.
 *
 * @param retryAfterMs what the endpoint asked for. It makes the wait longer, up to 24 h, and never shorter
 */
export function nextRetryMs(
  attempt: number,
  baseMs: number,
  retryAfterMs: number | undefined,
  random: number,
): number | undefined {
  if (attempt >= MAX_ATTEMPTS) return undefined
  const stepMs = backoffMs(attempt, retrySchedule(baseMs), random)
  return Math.max(stepMs, Math.min(retryAfterMs ?? 0, CAP_MS))
}

/** Reads `Retry-After` (RFC 9110 §10.2.3): seconds or a date. */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\s*\d{1,9}\s*$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/**
 * An endpoint that has only failed for so long is disabled, and its events are held. It is longer than the attempts of an
 * event and than a long weekend; with more, a URL that is gone for good would be called for nothing.
 */
export const DISABLE_AFTER_MS = 5 * 24 * 3_600_000
