const DAY = String.raw`\d{4}-\d\d-\d\d`
const OFFSET = String.raw`(Z|[+-]\d\d:\d\d)`

/** A moment as programs write it: ISO 8601 with its offset from UTC. */
const MOMENT = new RegExp(`^${DAY}T([01]\\d|2[0-3]):\\d\\d(:\\d\\d(\\.\\d{1,9})?)?${OFFSET}$`)

/** @returns milliseconds, or NaN if it is not a moment, such as one on a day that the calendar does not have */
export function parseMoment(written: string): number {
  return MOMENT.test(written) ? onRealDay(written) : NaN
}

const LAST_MOMENT = Date.parse('9999-12-31T23:59:59.999Z')

/**
 * Brings a moment into the span of those that ids can have and Postgres reads: with its offset, one that is written in
 * the year 9999 may be in the year after it, for which `Date` writes six digits.
 *
 * @returns milliseconds; NaN stays NaN
 */
export function withinSpan(ms: number): number {
  return Math.min(Math.max(0, ms), LAST_MOMENT)
}

/** Reads a clock time, in milliseconds as if it were UTC: a browser's field writes no offset. */
export function parseClock(written: string): number {
  const clock = written.replace(' ', 'T')
  return /(Z|[+-]\d\d:\d\d)$/.test(clock) ? NaN : parseMoment(`${clock}Z`)
}

/** Reads a whole day, which begins at midnight UTC. */
export function parseDay(written: string): number {
  return new RegExp(`^${DAY}$`).test(written) ? onRealDay(written) : NaN
}

/** The end of a refusal, which names the day that the calendar does not have; empty if that is not what is wrong. */
export function missingDayOf(written: unknown): string {
  const [day] = (typeof written === 'string' && new RegExp(`^${DAY}(?!\\d)`).exec(written)) || []
  return day === undefined || isDay(day) ? '' : `: there is no ${day} in the calendar`
}

function onRealDay(written: string): number {
  return isDay(written.slice(0, 10)) ? Date.parse(written) : NaN
}

/** `Date` reads 31 November as 1 December. */
function isDay(day: string): boolean {
  const midnight = Date.parse(day)
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day)
}

/** Writes a moment for people, such as `2026-11-28 15:00 UTC`. */
export function inUtc(at: Date): string {
  return `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`
}
