/** What the answers of carriers over HTTP have in common. */

/** Where a carrier asks to wait without saying how long. */
const DEFAULT_WAIT_MS = 2000
const MAX_WAIT_MS = 3_600_000

/** Seconds or a date (RFC 9110 §10.2.3), as milliseconds from now; never less than one. */
export function readRetryAfter(value: string | undefined, now: number): number {
  if (value === undefined || value.trim() === '') return DEFAULT_WAIT_MS
  const ms = /^\s*\d+\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now
  return Number.isNaN(ms) ? DEFAULT_WAIT_MS : Math.min(Math.max(ms, 1), MAX_WAIT_MS)
}

/** A carrier's words repeat the numbers of its request; ours are kept, shown and logged, and may have none. */
export function withoutNumbers(words: string): string {
  return words.replace(/(\+|%2B)?\d(?:[ ().-]{0,2}\d){6,}/gi, '[number]')
}
