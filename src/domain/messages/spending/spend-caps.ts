import { transaction } from '../../../database/connection.js'
import type { Line } from '../../../database/lines/lines.js'
import {
  listSpendCaps,
  setSpendCap as writeSpendCap,
  type SpendCap as CapRow,
} from '../../../database/messages/spend-caps.js'
import type { User } from '../../../database/people/users.js'
import { UserError } from '../../../errors.js'
import { countSegments, isShort } from '../../../kit/text/segments.js'
import { languagesFor } from '../../carriers/languages.js'
import { record } from '../../operating/audit.js'
import type { Context } from '../../context.js'

const MAX_PER_DAY = 100_000_000
const DAY_MS = 86_400_000

/** People are warned once this share of a cap is used. */
export const NEAR = 0.8

/** The line that has a cap, or the user with the cap of all lines together. */
export type CapOwner = { of: 'line'; id: string; userId: string } | { of: 'user'; id: string }

/** The segments that may be accepted on a day, and those of today. */
export interface SpendCap {
  /** A cap is a line's, or that of all lines of its user together. */
  of: CapOwner['of']
  segmentsPerDay: number
  used: number
  /** True if 80% or more is used. */
  isNear: boolean
  /** The beginning of the next day, in UTC. */
  resetsAt: Date
}

/**
 * Counts a message: the segments of its text, as the line's own account sends them, and one for media without a text.
 */
export async function countForCaps(
  context: Pick<Context, 'batched'>,
  { carrierAccount }: { carrierAccount: string },
  text: string | null,
): Promise<number> {
  if (text === null || isShort(text)) return 1
  return countSegments(text, await languagesFor(context, carrierAccount, text))
}

/**
 * Reads a cap that a person wrote: a number, or nothing or `none` for no cap.
 *
 * @throws UserError
 */
export function readCap(written: string): number | null {
  const trimmed = written.trim()
  if (trimmed === '' || trimmed === 'none') return null
  const value = /^\d+$/.test(trimmed) ? Number(trimmed) : 0
  if (value >= 1 && value <= MAX_PER_DAY) return value
  throw new UserError(`segments must be a whole number from 1 to ${MAX_PER_DAY}, or none`)
}

/**
 * Sets a cap, for operators. It counts from now on: messages accepted before there was a cap are not in it.
 *
 * @param segmentsPerDay null for no cap
 */
export async function setSpendCap(
  context: Pick<Context, 'db' | 'log' | 'actor'>,
  owner: CapOwner,
  segmentsPerDay: number | null,
): Promise<void> {
  await transaction(context.db, async (trx) => {
    const [before] = await listSpendCaps(trx, [owner.id])
    await writeSpendCap(trx, owner.id, segmentsPerDay)
    await record(context, trx, {
      action: `${owner.of}.spend_cap.set`,
      subjectId: owner.id,
      userId: owner.of === 'user' ? owner.id : owner.userId,
      before: { segmentsPerDay: before?.segmentsPerDay ?? null },
      after: { segmentsPerDay },
    })
  })
  context.log.info({ of: owner.of, ownerId: owner.id, segmentsPerDay }, 'spend_cap.set')
}

/** Returns the caps that apply to a line: its own, and its user's. */
export async function findCapsOfLine(
  context: Pick<Context, 'db'>,
  { id, userId }: Pick<Line, 'id' | 'userId'>,
): Promise<SpendCap[]> {
  const caps = await findCapsOfUser(context, { id: userId }, [{ id }])
  return [id, userId].flatMap((ownerId) => caps.get(ownerId) ?? [])
}

/** Returns a user's cap, and those of the lines, by the ids of their owners. */
export async function findCapsOfUser(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<User, 'id'>,
  lines: readonly Pick<Line, 'id'>[],
): Promise<Map<string, SpendCap>> {
  const rows = await listSpendCaps(db, [id, ...lines.map((line) => line.id)])
  return new Map(rows.map((row) => [row.ownerId, view(row, row.ownerId === id ? 'user' : 'line')]))
}

function view({ segmentsPerDay, used }: CapRow, of: SpendCap['of']): SpendCap {
  return { of, segmentsPerDay, used, isNear: used >= NEAR * segmentsPerDay, resetsAt: nextDay() }
}

/** Returns the beginning of the day after this one, in UTC. */
export function nextDay(now = Date.now()): Date {
  return new Date((Math.floor(now / DAY_MS) + 1) * DAY_MS)
}

/** A request that is refused because of a cap may be repeated tomorrow. */
export function capRefusal(message: string): UserError {
  const seconds = Math.ceil((nextDay().getTime() - Date.now()) / 1000)
  return new UserError(message, 429, seconds)
}
