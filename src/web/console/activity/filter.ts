import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import { OPT_IN_EVENT_TYPES } from '../../../database/events.js'
import { DIRECTIONS, MESSAGE_TYPES } from '../../../database/messages/message.js'
import type { ActivityFilter } from '../../../domain/activity.js'
import type { Context } from '../../../domain/context.js'
import { DELIVERY_STATUSES, MESSAGE_STATUSES } from '../../../states.js'
import { idParameter, numberParameter, readQuery, wordParameter } from '../../query.js'
import { localParameter, writtenParameters, zoneParameter } from '../time-filter.js'

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
  return writtenParameters(ctx, FILTER_NAMES)
}
