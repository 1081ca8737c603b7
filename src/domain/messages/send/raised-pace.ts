import { makePlaceSeekersDue } from '../../../database/messages/requeueing.js'
import { eachWaitingLineBatch } from '../../../database/messages/resumptions.js'
import { asError } from '../../../errors.js'
import type { Context } from '../../context.js'
import { forgetTurns } from '../windows.js'

/** Claims of the line wait as long as one batch takes. */
const MESSAGES_AT_ONCE = 500

/**
 * Called after the pace of an account was raised. Each waiting message was given a time at the slower pace, perhaps
 * hours away, so all of them ask again, oldest first. Never fails: any that were not reached go at the time that they
 * were given.
 */
export async function askAgain(context: Context, accountId: string): Promise<void> {
  const { db, log } = context
  const account = { table: 'carrier_accounts' as const, id: accountId }
  let count = 0
  try {
    await forgetTurns(context, [accountId])
    for await (const lineIds of eachWaitingLineBatch(db, account)) {
      await forgetTurns(context, lineIds)
      for (const lineId of lineIds) count += await askAgainOnLine(context, lineId)
    }
    log.info({ carrierAccountId: accountId, count }, 'carrier.pace_raised')
  } catch (error) {
    log.warn({ carrierAccountId: accountId, count, err: asError(error) }, 'carrier.pace_raised_later')
  }
}

/**
 * Called after a line was paused. Messages that wait there for their turn ask again, find the pause, and give their
 * places back, because messages of other lines wait behind them for the account's pace. Never fails: otherwise, each
 * asks at the time that it was given.
 */
export async function askOnPausedLine(context: Context, lineId: string): Promise<void> {
  try {
    await askAgainOnLine(context, lineId)
  } catch (error) {
    context.log.warn({ lineId, err: asError(error) }, 'line.places_not_given_back')
  }
}

async function askAgainOnLine({ db, queues }: Context, lineId: string): Promise<number> {
  let count = 0
  for (let after = '0'; ;) {
    const due = await makePlaceSeekersDue(db, lineId, { after, limit: MESSAGES_AT_ONCE })
    await queues.enqueueMessages(due)
    count += due.length
    const last = due.at(-1)
    if (last === undefined || due.length < MESSAGES_AT_ONCE) return count
    after = last.position
  }
}
