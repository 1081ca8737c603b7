import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import { OPT_IN_EVENT_TYPES } from '../../../database/events.js'
import { DIRECTIONS, MESSAGE_TYPES } from '../../../database/messages/message.js'
import type { ActivityFilter } from '../../../domain/activity.js'
import type { Context } from '../../../domain/context.js'
import { DELIVERY_STATUSES, MESSAGE_STATUSES } from '../../../states.js'
import { idParameter, numberParameter, readQuery, wordParameter } from '../../query.js'
import { queryOf } from '../form-values.js'
import { isZone, momentIn, UTC } from './zone.js'

/** What the filter's form asks for, and its parameters in the query. */
const FILTER_NAMES = [
  ...(['line', 'kind', 'direction', 'type', 'status', 'number', 'from', 'until'] as const),
  /** That of `from` and `until`, and of the list. */
  'zone',
] as const

export type FilterName = (typeof FILTER_NAMES)[number]

/** As it was written. */
export type WrittenFilter = Partial<Record<FilterName, string>>

/** Each once, in the order of a message's life and then of a delivery's. */
export const STATUSES: readonly string[] = [...new Set([...MESSAGE_STATUSES, ...DELIVERY_STATUSES])]

const parameters = yup.object({
  before: idParameter(),
  line: idParameter(),
  kind: wordParameter(['message', 'delivery']),
  direction: wordParameter(DIRECTIONS),
  type: wordParameter([...MESSAGE_TYPES, ...OPT_IN_EVENT_TYPES]),
  status: wordParameter(STATUSES),
  number: numberParameter(),
  zone: zoneParameter(),
  from: localParameter(),
  until: localParameter(),
})

/** @throws UserError naming every field that is wrong */
export async function readFilter(
  ctx: KoaContext,
  { vocabulary }: Context,
): Promise<{ filter: ActivityFilter; before: string | undefined }> {
  const read = await readQuery(ctx, parameters, vocabulary)
  const { before, line: lineId, kind, direction, type, status, number, from, until } = read
  return { filter: { lineId, kind, direction, type, status, number, from, until }, before }
}

export function writtenFilter(ctx: KoaContext): WrittenFilter {
  // A plus sign in a query means a space to most parsers, and people forget to write %2B.
  const given = FILTER_NAMES.map((name) => [name, queryOf(ctx, name).replace(/^ (?=\d)/, '+')] as const)
  return Object.fromEntries(given.filter(([, value]) => value !== ''))
}

/** The same filter at another path, or for an older page. */
export function filterPath(path: string, written: WrittenFilter, before?: string): string {
  const query = new URLSearchParams({ ...written, ...(before === undefined ? {} : { before }) }).toString()
  return query === '' ? path : `${path}?${query}`
}

/**
 * The time zone that the address names; UTC if it has times but no zone. undefined: the reader's zone, which only a script
 * knows.
 */
export function zoneOf(written: WrittenFilter): string | undefined {
  const { zone, from, until } = written
  if (zone !== undefined) return isZone(zone) ? zone : UTC
  return from === undefined && until === undefined ? undefined : UTC
}

function zoneParameter() {
  return yup
    .string()
    .test(
      'zone',
      '${path} must be a time zone, such as Europe/Berlin',
      (name) => name === undefined || isZone(name),
    )
}

/** A browser's field for date and time writes no zone, so the value is read in the filter's zone. */
function localParameter() {
  return yup.date().when('zone', ([name], schema) => {
    const zone = typeof name === 'string' && isZone(name) ? name : UTC
    return schema
      .transform((_, written: unknown) => readLocal(String(written), zone))
      .typeError(`\${path} must be a date and time in ${zone}, such as 2026-11-21T13:00`)
  })
}

/** Ids begin in 1970, so an earlier moment counts as the first one of 1970. */
function readLocal(written: string, zone: string): Date {
  const isWhole = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d{1,3})?)?$/.test(written)
  const shown = isWhole ? Date.parse(`${written.replace(' ', 'T')}Z`) : NaN
  return Number.isNaN(shown) ? new Date(NaN) : momentIn(zone, Math.max(0, shown))
}
