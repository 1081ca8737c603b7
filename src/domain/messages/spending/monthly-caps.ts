import { transaction } from '../../../database/connection.js'
import type { Line } from '../../../database/lines/lines.js'
import {
  listMonthlyCaps,
  setMonthlyCap as writeMonthlyCap,
  type Money,
  type MonthlyCap as CapRow,
} from '../../../database/messages/spend-caps.js'
import type { User } from '../../../database/people/users.js'
import { UserError } from '../../../errors.js'
import { readDecimal, writeMoney } from '../../../kit/text/decimal.js'
import { record } from '../../operating/audit.js'
import type { Context } from '../../context.js'
import { NEAR, type CapOwner } from './spend-caps.js'

/** The cost allowed for a line, or for all lines of a user, in a month, and the cost so far according to carriers. */
export interface MonthlyCap extends Money {
  of: CapOwner['of']
  spent: string
  /** True if 80% or more is spent. */
  isNear: boolean
  /** True if nothing more is accepted. */
  isUsedUp: boolean
  /** The beginning of the next month, in UTC. */
  resetsAt: Date
}

const FORM = 'amount must be a value such as 50 USD, or none'

/**
 * Reads a cap that a person wrote: `50 USD`, or nothing or `none` for no cap.
 *
 * @throws UserError
 */
export function readMonthlyCap(written: string): Money | null {
  const trimmed = written.trim()
  if (trimmed === '' || trimmed === 'none') return null
  const [, digits = '', currency = ''] = /^([\d.]+) ?([A-Za-z]{3})$/.exec(trimmed) ?? []
  const amount = readDecimal(digits)
  if (amount === undefined || !/[1-9]/.test(amount)) throw new UserError(FORM)
  return { amount, currency: currency.toUpperCase() }
}

/**
 * Sets a cap, for operators. It counts everything that the month has cost so far, as far as carriers have reported it.
 *
 * @param money null for no cap
 */
export async function setMonthlyCap(
  context: Pick<Context, 'db' | 'log' | 'actor'>,
  owner: CapOwner,
  money: Money | null,
): Promise<void> {
  await transaction(context.db, async (trx) => {
    const [before] = await listMonthlyCaps(trx, [owner.id], NEAR)
    await writeMonthlyCap(trx, owner.id, money)
    await record(context, trx, {
      action: `${owner.of}.monthly_cap.set`,
      subjectId: owner.id,
      userId: owner.of === 'user' ? owner.id : owner.userId,
      before: { amountPerMonth: before === undefined ? null : moneyOf(before) },
      after: { amountPerMonth: money === null ? null : moneyOf(money) },
    })
  })
  context.log.info({ of: owner.of, ownerId: owner.id, ...money }, 'monthly_cap.set')
}

/** Returns the caps that apply to a line: its own, and its user's. */
export async function findMonthlyCapsOfLine(
  context: Pick<Context, 'db'>,
  { id, userId }: Pick<Line, 'id' | 'userId'>,
): Promise<MonthlyCap[]> {
  const caps = await findMonthlyCapsOfUser(context, { id: userId }, [{ id }])
  return [id, userId].flatMap((ownerId) => caps.get(ownerId) ?? [])
}

/** Returns a user's cap, and those of the lines, by the ids of their owners. */
export async function findMonthlyCapsOfUser(
  { db }: Pick<Context, 'db'>,
  { id }: Pick<User, 'id'>,
  lines: readonly Pick<Line, 'id'>[],
): Promise<Map<string, MonthlyCap>> {
  const rows = await listMonthlyCaps(db, [id, ...lines.map((line) => line.id)], NEAR)
  return new Map(rows.map((row) => [row.ownerId, view(row, row.ownerId === id ? 'user' : 'line')]))
}

function view({ amount, currency, spent, isNear, isUsedUp }: CapRow, of: MonthlyCap['of']): MonthlyCap {
  return { of, amount, currency, spent, isNear, isUsedUp, resetsAt: nextMonth() }
}

/** Writes money as `50.00 USD`. */
export function moneyOf({ amount, currency }: Money): string {
  return `${writeMoney(amount)} ${currency}`
}

/** Returns the beginning of the month after this one, in UTC. */
export function nextMonth(now = new Date()): Date {
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1))
}

/**
 * Names the cap that a line has reached, and the day on which it can send again. It is looked up only when something
 * is refused, so the cap may just have changed.
 *
 * @param beginning the text that clients compare
 */
export async function monthlyCapRefusal(
  context: Pick<Context, 'db'>,
  line: Pick<Line, 'id' | 'userId'>,
  beginning: string,
): Promise<UserError> {
  const caps = await findMonthlyCapsOfLine(context, line)
  const reached = caps.find(({ isUsedUp }) => isUsedUp)
  const resetsAt = nextMonth()
  const seconds = Math.ceil((resetsAt.getTime() - Date.now()) / 1000)
  const whose = reached?.of === 'user' ? "all its user's lines" : 'this line'
  const cap = reached === undefined ? '' : `${moneyOf(reached)} for ${whose}, `
  return new UserError(
    `${beginning}: ${cap}resets on ${resetsAt.toISOString().slice(0, 10)} (UTC)`,
    429,
    seconds,
  )
}
