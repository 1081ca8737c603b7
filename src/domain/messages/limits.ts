import { readLimitsNow, type LimitsNow } from '../../database/messages/limits.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import type { Context } from '../context.js'
import { findMonthlyCapsOfLine, type MonthlyCap } from './spending/monthly-caps.js'
import { findCapsOfLine, type SpendCap } from './spending/spend-caps.js'

/** People want to know which numbers are full. With the default limits no more than six can be full at a time. */
const NUMBER_COUNT = 5

/**
 * Returns the use of the incoming webhook's windows, for the line and its five busiest numbers, and of the caps of
 * the day and the month.
 *
 * @throws UserError 404
 */
export async function readLimits(
  context: Context,
  userId: string,
  lineId: string,
): Promise<LimitsNow & { caps: SpendCap[]; monthlyCaps: MonthlyCap[] }> {
  const limits = isId(lineId) ? await readLimitsNow(context.db, userId, lineId, NUMBER_COUNT) : undefined
  if (limits === undefined) throw new UserError('No such line', 404)
  const line = { id: lineId.toLowerCase(), userId }
  const [caps, monthlyCaps] = await Promise.all([
    findCapsOfLine(context, line),
    findMonthlyCapsOfLine(context, line),
  ])
  return { ...limits, caps, monthlyCaps }
}
