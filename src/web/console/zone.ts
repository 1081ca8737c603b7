import { withinSpan } from '../../kit/text/moments.js'

export const UTC = 'UTC'

/** True for a time zone's name in the IANA list, such as Europe/Berlin. */
export function isZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return /^[\w+/-]{1,64}$/.test(name)
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/**
 * Returns the time at which a clock in the zone shows this, from 1970 on and before the year 10000. If an hour comes
 * twice in autumn, the first counts.
 *
 * @param shown the same as if it were UTC, in milliseconds; not before 1970
 */
export function momentIn(zone: string, shown: number): Date {
  const candidates = [shown - 86_400_000, shown + 86_400_000].map((near) => shown - offsetOf(zone, near))
  // An hour is left out in spring. A time in it is read as if the clock had not been changed yet.
  const found = candidates.filter((at) => at + offsetOf(zone, at) === shown)
  return new Date(withinSpan(Math.min(...(found.length > 0 ? found : candidates.slice(0, 1)))))
}

/** Returns a clock's time in the zone: 2026-11-21 13:00:05 GMT+1. */
export function clockIn(zone: string, at: Date): string {
  const { year, month, day, hour, minute, second, timeZoneName } = partsIn(zone, at.getTime())
  return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`
}

/** Returns a clock's time in the zone as a browser's field for date and time has it: 2026-11-21T13:00. */
export function fieldIn(zone: string, at: Date): string {
  return clockIn(zone, at).slice(0, 16).replace(' ', 'T')
}

/** Returns a date and time in the zone as people read it: 21 Nov 2026, 13:00. */
export function minuteIn(zone: string, at: Date): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'medium', timeStyle: 'short' }).format(
    at,
  )
}

/** Returns the calendar's day in the zone: Saturday, 21 November 2026. */
export function daysIn(zone: string): (at: Date) => string {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: zone, dateStyle: 'full' })
  return (at) => format.format(at)
}

/** Returns the time by which a clock in the zone is ahead of UTC then, in milliseconds. */
function offsetOf(zone: string, at: number): number {
  const { year, month, day, hour, minute, second } = partsIn(zone, at)
  const numbers = [Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)] as const
  return Date.UTC(Number(year), ...numbers) - Math.floor(at / 1000) * 1000
}

type Part = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second' | 'timeZoneName'

function partsIn(zone: string, at: number): Record<Part, string> {
  const [two, timeZone] = ['2-digit', zone] as const
  const date = { year: 'numeric', month: two, day: two } as const
  const time = { hour: two, minute: two, second: two, hourCycle: 'h23', timeZoneName: 'short' } as const
  const parts = new Intl.DateTimeFormat('en-GB', { timeZone, ...date, ...time }).formatToParts(at)
  return Object.fromEntries(parts.map(({ type, value }) => [type, value])) as Record<Part, string>
}
