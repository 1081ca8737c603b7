import { findCarrierAccount } from '../../../database/carriers/carrier-accounts.js'
import type { OwnLine } from '../../../database/lines/lines.js'
import type { Context } from '../../context.js'

/**
 * Returns the messages that a line sends in a minute at most, by its own limit and the pace of its carrier account, and those
 * that all lines of the account send together: null if that has no pace.
 */
export async function findPaces(
  { db }: Pick<Context, 'db'>,
  line: OwnLine,
): Promise<{ perMinute: number; ofAccount: number | null }> {
  const account = await findCarrierAccount(db, { name: line.carrierAccount })
  const inAMinute = (pace: number | null | undefined) => (pace == null ? Infinity : pace * 60)
  const ofAccount = inAMinute(account?.messagesPerSecond)
  const ofLine = inAMinute(account?.messagesPerSecondPerLine)
  return {
    perMinute: Math.min(line.messagesPerMinute, ofAccount, ofLine),
    ofAccount: ofAccount === Infinity ? null : ofAccount,
  }
}
