import type { RetrySchedule } from '../../../database/endpoints/policy.js'
import { backoffMs, type Backoff } from '../../backoff.js'

/** With the waits below they take more than two days: an endpoint may be down for a weekend. */
export const MAX_ATTEMPTS = 10
/** There is at least one attempt a day, so that no event waits for days after an endpoint is back. */
const CAP_MS = 24 * 3_600_000

const MINUTE = 60
const HOUR = 60 * MINUTE

/**
 * The schedules that an endpoint may have instead of the default, as waits in seconds. `short` is over within a quarter
 * of an hour. `long` continues for a week, unless the endpoint is disabled before.
 */
const NAMED_SCHEDULES = {
  short: [5, 30, 2 * MINUTE, 10 * MINUTE],
  // oxfmt-ignore
  long: [5, 30, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 12 * HOUR,
    ...Array<number>(6).fill(24 * HOUR)],
} as const

const JITTER = 0.2

/** With the default base the waits are 5 s, 20 s, 80 s, 5 min, 21 min, 85 min, 5.7 h, 22.8 h and 24 h. */
export function retrySchedule(baseMs: number): Backoff {
  return { baseMs, factor: 4, capMs: CAP_MS, jitter: JITTER }
}

/** The default of DELIVERY_RETRY_BASE_MS. */
const DEFAULT_BASE_MS = 5000

/** How long the attempts of an event take by default, without the time of the requests. */
const DEFAULT_RETRY_HOURS = Math.round(
  Array.from({ length: MAX_ATTEMPTS - 1 }, (_, n) =>
    backoffMs(n + 1, { ...retrySchedule(DEFAULT_BASE_MS), jitter: 0 }, 0),
  ).reduce((sum, waitMs) => sum + waitMs, 0) /
    (HOUR * 1000),
)

/** The default schedule in words, such as `10 attempts in about 54 hours`. */
export const DEFAULT_RETRY_WORDS = `${MAX_ATTEMPTS} attempts in about ${DEFAULT_RETRY_HOURS} hours`

/**
 * Returns the wait after the nth attempt of a round; undefined if it was the last.
 *
 * @param retryAfterMs the endpoint's request, which makes the wait longer, up to 24 h, and never shorter
 * @param schedule the endpoint's schedule; `baseMs` applies only to the default one
 */
export function nextRetryMs(
  attempt: number,
  baseMs: number,
  retryAfterMs: number | undefined,
  random: number,
  schedule: RetrySchedule = 'default',
): number | undefined {
  const stepMs = stepOf(schedule, attempt, baseMs, random)
  if (stepMs === undefined) return undefined
  return Math.max(stepMs, Math.min(retryAfterMs ?? 0, CAP_MS))
}

/** @returns undefined if the attempt was the last */
function stepOf(
  schedule: RetrySchedule,
  attempt: number,
  baseMs: number,
  random: number,
): number | undefined {
  if (schedule === 'default') {
    return attempt >= MAX_ATTEMPTS ? undefined : backoffMs(attempt, retrySchedule(baseMs), random)
  }
  const waits = typeof schedule === 'string' ? NAMED_SCHEDULES[schedule] : schedule
  const seconds = waits[attempt - 1]
  const step = { baseMs: (seconds ?? 0) * 1000, factor: 1, capMs: Infinity, jitter: JITTER }
  return seconds === undefined ? undefined : backoffMs(attempt, step, random)
}

/** Reads `Retry-After` (RFC 9110 §10.2.3): seconds or a date. */
export function readRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000
  const at = Date.parse(value)
  return Number.isNaN(at) ? undefined : Math.max(0, at - now)
}

/**
 * An endpoint that has only failed for this long is disabled, and its events are held. It is longer than the attempts
 * of an event and than a long weekend; if it were longer, a URL that is gone for good would be called in vain.
 */
export const DISABLE_AFTER_MS = 5 * 24 * 3_600_000
