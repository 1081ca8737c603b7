import { findCarrierAccount } from '../../../database/carriers/carrier-accounts.js'
import type { OwnLine } from '../../../database/lines/lines.js'
import type { Context } from '../../context.js'

/**
 * The messages that a line sends in a minute at most, by its own limit and the pace of its carrier account. Other lines of
 * the account may leave it less.
 */
export async function findPerMinute({ db }: Pick<Context, 'db'>, line: OwnLine): Promise<number> {
  const account = await findCarrierAccount(db, { name: line.carrierAccount })
  const paces = [account?.messagesPerSecond, account?.messagesPerSecondPerLine]
  return Math.min(line.messagesPerMinute, ...paces.map((pace) => (pace == null ? Infinity : pace * 60)))
}
