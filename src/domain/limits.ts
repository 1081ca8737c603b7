import { readLimitsNow, type LimitsNow } from '../database/messages/limits.js'
import { UserError } from '../errors.js'
import { isId } from '../ids.js'
import type { Context } from './context.js'

/** People want to know which numbers are full. With the default limits no more than six can be full at a time. */
const NUMBER_COUNT = 5

/**
 * How full the incoming webhook's windows are: the line's, and those of its five busiest numbers.
 *
 * @throws UserError 404
 */
export async function readLimits({ db }: Context, userId: string, lineId: string): Promise<LimitsNow> {
  const limits = isId(lineId) ? await readLimitsNow(db, userId, lineId, NUMBER_COUNT) : undefined
  if (limits === undefined) throw new UserError('no such line', 404)
  return limits
}
