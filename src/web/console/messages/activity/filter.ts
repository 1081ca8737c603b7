import { OPT_IN_EVENT_TYPES } from '../../../../event-types.js'
import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import { DIRECTIONS, MESSAGE_TYPES } from '../../../../database/messages/message.js'
import type { ActivityFilter } from '../../../../domain/messages/activity.js'
import type { Context } from '../../../../domain/context.js'
import { DELIVERY_STATUSES, MESSAGE_STATUSES } from '../../../../states.js'
import {
  idParameter,
  numberOrPartParameter,
  readParty,
  readQuery,
  textParameter,
  wordParameter,
} from '../../../input/query.js'
import { sessionOf } from '../../people/session.js'
import { requireNamed } from '../../portal/gate.js'
import { localParameter, writtenParameters, zoneParameter } from '../../time-filter.js'

/** The fields of the filter's form, which are parameters in the query. */
const FILTER_NAMES = [
  ...(['line', 'direction', 'status', 'type', 'reason', 'number', 'text', 'from', 'until'] as const),
  /** The time zone of `from` and `until`, and of the list. */
  'zone',
] as const

export type FilterName = (typeof FILTER_NAMES)[number]

export type WrittenFilter = Partial<Record<FilterName, string>>

/** Each state once, in the order of a message's life and then of a delivery's. */
export const STATUSES: readonly string[] = [...new Set([...MESSAGE_STATUSES, ...DELIVERY_STATUSES])]

const parameters = yup.object({
  before: idParameter(),
  line: idParameter(),
  direction: wordParameter(DIRECTIONS),
  type: wordParameter([...MESSAGE_TYPES, ...OPT_IN_EVENT_TYPES]),
  status: wordParameter(STATUSES),
  reason: textParameter(),
  number: numberOrPartParameter(),
  text: textParameter(),
  zone: zoneParameter(),
  from: localParameter(),
  until: localParameter(),
})

/** @throws UserError naming every invalid field */
export async function readFilter(
  ctx: KoaContext,
  { vocabulary }: Context,
): Promise<{ filter: ActivityFilter; before: string | undefined }> {
  const read = await readQuery(ctx, parameters, vocabulary)
  const { before, line, direction, type, status, reason, number: asked, text, from, until } = read
  const lineId = lineAsked(ctx, line)
  return {
    filter: { lineId, direction, type, status, reason, ...readParty(asked), text, from, until },
    before,
  }
}

/**
 * In a portal session the list is for one line that its link named, the first unless another one is requested.
 *
 * @throws UserError 404 for another line
 */
function lineAsked(ctx: KoaContext, line: string | undefined): string | undefined {
  if (sessionOf(ctx).portalLineIds === undefined) return line
  const lineId = writtenFilter(ctx).line
  requireNamed(ctx, lineId)
  return lineId
}

/**
 * Returns what the reader has chosen, and the filter that remains without it: in a portal session the list is always for
 * one line.
 */
export function chosenOf(
  { line, ...others }: WrittenFilter,
  { isPortal }: { isPortal: boolean },
): { chosen: [name: FilterName, value: string][]; cleared: WrittenFilter } {
  const ofLine = line === undefined ? {} : { line }
  const named = Object.entries(isPortal ? others : { ...ofLine, ...others }) as [FilterName, string][]
  return { chosen: named.filter(([name]) => name !== 'zone'), cleared: isPortal ? ofLine : {} }
}

/** Returns the filter as it was written; in a portal session always with the line that the list is for. */
export function writtenFilter(ctx: KoaContext): WrittenFilter {
  const written = writtenParameters(ctx, FILTER_NAMES)
  const line = written.line ?? sessionOf(ctx).portalLineIds?.[0]
  return line === undefined ? written : { ...written, line: line.toLowerCase() }
}
