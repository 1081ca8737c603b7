import { findCarrierAccount } from '../../../database/carriers/carrier-accounts.js'
import type { OwnLine } from '../../../database/lines/lines.js'
import type { Context } from '../../context.js'

/**
 * Returns the most messages that a line can send in a minute, by its own limit and the pace of the carrier account that
 * it uses first, and the most that all lines of the account can send together; null if the account has no pace. A route
 * for some numbers only is not the first, because most texts of a list may go to others.
 */
export async function findPaces(
  { db }: Pick<Context, 'db'>,
  line: OwnLine,
): Promise<{ perMinute: number; ofAccount: number | null; account: string }> {
  const route = line.routes.find(
    ({ countries, prefixes }) => countries === undefined && prefixes === undefined,
  )
  const name = route?.carrier ?? line.carrierAccount
  const account = await findCarrierAccount(db, { name })
  const inAMinute = (pace: number | null | undefined) => (pace == null ? Infinity : pace * 60)
  const ofAccount = inAMinute(account?.messagesPerSecond)
  const ofLine = inAMinute(account?.messagesPerSecondPerLine)
  return {
    perMinute: Math.min(line.messagesPerMinute, ofAccount, ofLine),
    ofAccount: ofAccount === Infinity ? null : ofAccount,
    account: name,
  }
}
