import { findCarrierAccount } from '../../../database/carriers/carrier-accounts.js'
import { makePlaceSeekersDue } from '../../../database/messages/requeueing.js'
import { eachWaitingLineBatch } from '../../../database/messages/resumptions.js'
import { asError } from '../../../errors.js'
import type { Context } from '../../context.js'
import { tryWaitingForCarrier } from '../try-now.js'
import { forgetTurns } from '../windows.js'

/** Claims of the line wait as long as one batch takes. */
const MESSAGES_AT_ONCE = 500

/**
 * Called after the pace of an account was raised. Each waiting message was given a time at the slower pace, perhaps
 * hours away, so all of them ask again, oldest first. Never fails: any that were not reached go at the time that they
 * were given.
 */
export async function askAgain(context: Context, accountId: string): Promise<void> {
  const { log } = context
  try {
    const count = await askAgainAtAccount(context, accountId)
    log.info({ carrierAccountId: accountId, count }, 'carrier.pace_raised')
  } catch (error) {
    log.warn({ carrierAccountId: accountId, err: asError(error) }, 'carrier.pace_raised_later')
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

/**
 * Called after a line got other limits, another account or other routes. Each message that waits was told a time by what
 * was before, so all of them ask again, oldest first. Never fails: otherwise each asks at the time that it was told.
 *
 * @param left the accounts that its messages may no longer go by. Those that wait for the next try of one are tried now, and
 *   those of other lines, which wait behind them for its pace, ask again too.
 */
export async function askOnChangedLine(
  context: Context,
  lineId: string,
  left: readonly string[],
): Promise<void> {
  try {
    if (left.length > 0) await tryWaitingForCarrier(context, lineId)
    await forgetTurns(context, [lineId])
    await askAgainOnLine(context, lineId)
    for (const name of left) {
      const account = await findCarrierAccount(context.db, { name })
      if (account?.messagesPerSecond != null) await askAgainAtAccount(context, account.id)
    }
  } catch (error) {
    context.log.warn({ lineId, err: asError(error) }, 'line.changed_later')
  }
}

async function askAgainAtAccount(context: Context, accountId: string): Promise<number> {
  let count = 0
  await forgetTurns(context, [accountId])
  const account = { table: 'carrier_accounts' as const, id: accountId }
  for await (const lineIds of eachWaitingLineBatch(context.db, account)) {
    await forgetTurns(context, lineIds)
    for (const lineId of lineIds) count += await askAgainOnLine(context, lineId)
  }
  return count
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
