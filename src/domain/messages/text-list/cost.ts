import type { OwnLine } from '../../../database/lines/lines.js'
import type { Context } from '../../context.js'
import { findCapsOfLine } from '../spending/spend-caps.js'
import { readMonths, readUsage } from '../spending/usage.js'

/** The money and the part of the caps that a list will use, as far as that can be known in advance. */
export interface ListCost {
  /** The recent cost of this many segments on this line; undefined if its carrier reports no prices. */
  estimate: { amount: number; currency: string } | undefined
  /** The segments that the caps of the day leave; undefined if there are no caps. */
  segmentsLeft: number | undefined
}

export async function findListCost(context: Context, line: OwnLine, segmentCount: number): Promise<ListCost> {
  const [usage, caps] = await Promise.all([
    readUsage(context, line.userId, { lineIds: [line.id], ...readMonths({}) }),
    findCapsOfLine(context, line),
  ])
  const month = usage.find(({ prices, segmentCount: sent }) => prices.length > 0 && sent > 0)
  const price = month?.prices.reduce((one, other) => (other.messageCount > one.messageCount ? other : one))
  const left = caps.map(({ segmentsPerDay, used }) => Math.max(0, segmentsPerDay - used))
  return {
    estimate:
      month === undefined || price === undefined
        ? undefined
        : {
            // Not every message has its price yet, so the cost per message is applied to the segments per message.
            amount:
              (Number(price.amount) / price.messageCount) *
              (month.messageCount / month.segmentCount) *
              segmentCount,
            currency: price.currency,
          },
    segmentsLeft: left.length === 0 ? undefined : Math.min(...left),
  }
}
