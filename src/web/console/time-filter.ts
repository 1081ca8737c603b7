import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import { missingDayOf, parseClock, parseMoment, withinSpan } from '../../kit/text/moments.js'
import { queryOf } from './form-values.js'
import { isZone, momentIn, UTC } from './zone.js'

/** The time range of a list that is filtered by its address, and the zone of both and of the list, as written. */
export type TimeFilter = Partial<Record<'zone' | 'from' | 'until', string>>

/** Returns the parameters of these names that have a value. */
export function writtenParameters<Name extends string>(
  ctx: KoaContext,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  // A plus sign in a query means a space to most parsers, and people forget to write %2B.
  const given = names.map((name) => [name, queryOf(ctx, name).replace(/^ (?=\d)/, '+')] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== '')) as Partial<Record<Name, string>>
}

/** Makes the address of a list with a filter, or of an older page of it. What has no value is left out. */
export function filterPath(
  path: string,
  written: Record<string, string | undefined>,
  before?: string,
): string {
  const given = Object.entries({ ...written, before }).flatMap(([name, value]) =>
    value === undefined || value === '' ? [] : [[name, value]],
  )
  const query = new URLSearchParams(given).toString()
  return query === '' ? path : `${path}?${query}`
}

/**
 * Returns the time zone that the address names; UTC if it has clock times but no zone; undefined for the reader's zone,
 * which only a script knows.
 */
export function zoneOf({ zone, from, until }: TimeFilter): string | undefined {
  if (zone !== undefined) return isZone(zone) ? zone : UTC
  return [from, until].every((each) => each === undefined || instantOf(each) !== undefined) ? undefined : UTC
}

/** Writes a time for the address of a list that is shown in the reader's zone: to the minute, in UTC. */
export function writeInstant(at: Date): string {
  return `${at.toISOString().slice(0, 16)}Z`
}

/** Returns the time that is written with its offset; undefined for a clock time. */
export function instantOf(written: string): Date | undefined {
  const at = parseMoment(written)
  return Number.isNaN(at) ? undefined : new Date(withinSpan(at))
}

export function zoneParameter() {
  return yup
    .string()
    .test(
      'zone',
      '${path} must be a time zone, such as Europe/Berlin',
      (name) => name === undefined || isZone(name),
    )
}

/** A browser's field for date and time has no zone, so the value is read in the filter's zone. Links have instants. */
export function localParameter() {
  return yup.date().when('zone', ([name], schema) => {
    const zone = typeof name === 'string' && isZone(name) ? name : UTC
    return schema
      .transform((_, written: unknown) => instantOf(String(written)) ?? readLocal(String(written), zone))
      .typeError(({ path, originalValue }) => refuseLocal(String(path), originalValue, zone))
  })
}

/** Ids begin in 1970, so an earlier time counts as the first one of 1970. */
export function readLocal(written: string, zone: string): Date {
  const shown = parseClock(written)
  return Number.isNaN(shown) ? new Date(NaN) : momentIn(zone, Math.max(0, shown))
}

/** @param name the field's name on its page */
export function refuseLocal(name: string, written: unknown, zone: string): string {
  return `${name} must be a date and time in ${zone}, such as 2026-11-21T13:00${missingDayOf(written)}`
}
