import { InvalidArgumentError, Option, type Command } from 'commander'
import type { Context } from '../../src/domain/context.js'
import { getAnyLine } from '../../src/domain/lines/lines.js'
import { parseNumber } from '../../src/domain/messages/phone-number.js'
import { getUserByEmail } from '../../src/domain/people/users.js'
import { UserError } from '../../src/errors.js'
import { isId } from '../../src/ids.js'
import { missingDayOf, parseDay, parseMoment, withinSpan } from '../../src/kit/text/moments.js'
import { wholeNumberBetween } from '../whole-number.js'

const MAX_LIMIT = 1000

/** The options of every list of past events and messages. */
export interface ListOptions {
  line?: string
  user?: string
  number?: string
  since?: Date
  until?: Date
  before?: string
  limit: number
  numbers?: boolean
  json?: boolean
  csv?: boolean
}

export function withListOptions(
  command: Command,
  statuses: readonly string[],
  types: readonly string[],
): Command {
  return command
    .option('--line <line>', 'only this line, by ID or number')
    .option('--user <email>', "only this user's lines")
    .addOption(new Option('--status <status>', 'only with this status').choices(statuses))
    .addOption(new Option('--type <type>', 'only with this type').choices(types))
    .option('--number <number>', 'only with this external number')
    .option('--since <time>', `start of the time range: ${TIMES}`, moment)
    .option('--until <time>', 'before this time', moment)
    .option('--before <id>', 'older than this ID: the last one on the previous page')
    .option('--limit <count>', `the maximum number, up to ${MAX_LIMIT}`, wholeNumberBetween(1, MAX_LIMIT), 50)
    .option('--numbers', 'show whole phone numbers')
    .option('--json', 'print JSON')
    .option('--csv', 'print CSV')
}

/**
 * Reads whose lines are meant; every user's if neither option is given.
 *
 * @throws UserError naming the option
 */
export async function readWhose(
  context: Context,
  { line, user }: Pick<ListOptions, 'line' | 'user'>,
): Promise<{ userId: string | undefined; lineId: string | undefined }> {
  const owner = user === undefined ? undefined : await getUserByEmail(context, user)
  const found = line === undefined ? undefined : await getAnyLine(context, line)
  return { userId: owner?.id, lineId: found?.id }
}

/** @throws UserError naming the option */
export function readFilter({ number, since, until, before, limit }: ListOptions) {
  const parsed = number === undefined ? undefined : parseNumber(number, null)?.number
  if (number !== undefined && parsed === undefined) {
    throw new UserError('--number must be a phone number in E.164 format, such as +15551234567')
  }
  if (before !== undefined && !isId(before)) throw new UserError('--before must be an ID from the list')
  return { filter: { number: parsed, from: since, until }, page: { limit, before } }
}

export const TIMES =
  'a time such as 2026-11-21 or 2026-11-21T13:00:00Z, or how long ago, such as 90s, 15m, 2h or 3d'

const UNITS_MS = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Reads a moment as people write it on a command line. A day begins at midnight UTC. */
export function moment(written: string, _before?: unknown, now = Date.now()): Date {
  const ago = spanOf(written)
  if (ago !== undefined) return new Date(withinSpan(now - ago))
  const day = parseDay(written)
  return Number.isNaN(day) ? wholeMoment(written, TIMES) : new Date(withinSpan(day))
}

export const TIMES_AHEAD =
  'a time such as 2026-12-24T18:00:00+01:00, or how long from now, such as 15m, 2h or 3d'

/** Does the same as `moment`, for a time in the future. */
export function momentAhead(written: string, _before?: unknown, now = Date.now()): Date {
  const ahead = spanOf(written)
  return ahead === undefined ? wholeMoment(written, TIMES_AHEAD) : new Date(now + ahead)
}

function spanOf(written: string): number | undefined {
  const [, count, unit] = /^(\d{1,6})([smhd])$/.exec(written) ?? []
  return count === undefined ? undefined : Number(count) * UNITS_MS[unit as keyof typeof UNITS_MS]
}

function wholeMoment(written: string, wanted: string): Date {
  const at = parseMoment(written)
  if (Number.isNaN(at)) throw new InvalidArgumentError(`It must be ${wanted}${missingDayOf(written)}.`)
  return new Date(withinSpan(at))
}
