import { countUsage, listSpending, type Months, type UsageRow } from '../../../database/messages/usage.js'
import { UserError } from '../../../errors.js'
import { writeMoney } from '../../../kit/text/decimal.js'
import type { Context } from '../../context.js'
import { listOwnLines } from '../../lines/lines.js'

/** A line's sending in a month, and its cost according to carriers, in each currency. */
export interface Usage extends UsageRow {
  /** A price that is not known yet is in none of them. */
  prices: { currency: string; amount: string; messageCount: number }[]
}

const MAX_MONTHS = 24
/** The default is this month and the two before it. */
const DEFAULT_MONTHS = 3

/** Reads a month as people write it, `2026-11`; undefined for anything else. */
function readMonth(written: string): Date | undefined {
  const [, year = '', month = ''] = /^(20\d\d)-(0[1-9]|1[0-2])$/.exec(written) ?? []
  return year === '' ? undefined : new Date(Date.UTC(Number(year), Number(month) - 1))
}

/** @throws UserError 400 */
export function readMonths(
  { from, until }: { from?: string | undefined; until?: string | undefined },
  now = new Date(),
): Months {
  const last = until === undefined ? now : requireMonth('until', until)
  const end = monthsAfter(last, 1)
  const begin = from === undefined ? monthsAfter(end, -DEFAULT_MONTHS) : requireMonth('from', from)
  if (begin >= end) throw new UserError('from must not be later than until')
  if (begin < monthsAfter(end, -MAX_MONTHS))
    throw new UserError(`from and until can span at most ${MAX_MONTHS} months`)
  return { from: begin, until: end }
}

function requireMonth(name: string, written: string): Date {
  const month = readMonth(written)
  if (month === undefined) throw new UserError(`${name} must be a month such as 2026-11`)
  return month
}

function monthsAfter(at: Date, count: number): Date {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + count))
}

/**
 * Reads the usage of the user's lines, or some of them, the newest month first, without months in which a line sent
 * nothing.
 */
export async function readUsage(
  context: Context,
  userId: string,
  { lineIds, ...months }: Months & { lineIds?: readonly string[] | undefined },
): Promise<Usage[]> {
  const own = (await listOwnLines(context, userId)).map(({ id }) => id)
  const asked = lineIds === undefined ? own : own.filter((id) => lineIds.includes(id))
  const [counted, spent] = await Promise.all([
    countUsage(context.db, asked, months),
    listSpending(context.db, asked, months),
  ])
  const rows = new Map<string, Usage>()
  const rowOf = ({ month, lineId }: Pick<UsageRow, 'month' | 'lineId'>): Usage => {
    const key = `${month} ${lineId}`
    const row = rows.get(key) ?? { month, lineId, ...NOTHING, prices: [] }
    rows.set(key, row)
    return row
  }
  for (const row of counted) Object.assign(rowOf(row), row)
  for (const { currency, amount, messageCount, ...of } of spent) {
    rowOf(of).prices.push({ currency, amount: writeMoney(amount), messageCount })
  }
  const place = new Map(own.map((id, n) => [id, n]))
  return [...rows.values()].sort(
    (one, other) =>
      other.month.localeCompare(one.month) || (place.get(one.lineId) ?? 0) - (place.get(other.lineId) ?? 0),
  )
}

const NOTHING = { messageCount: 0, segmentCount: 0, carrierSegmentCount: 0 }

/**
 * Makes a row for each month, line and currency, for spreadsheets; the segments are only in the first row of a month,
 * so that sums are right.
 */
export function flattenUsage(usage: readonly Usage[]) {
  return usage.flatMap(({ prices, ...counts }) => {
    const priced = prices.length === 0 ? [{ currency: '', amount: '', messageCount: 0 }] : prices
    return priced.map(({ currency, amount, messageCount }, n) => ({
      ...counts,
      ...(n === 0 ? {} : NOTHING),
      currency,
      price: amount,
      pricedMessageCount: messageCount,
    }))
  })
}
