import type { CarrierAddress } from '../../../carriers/listening.js'
import { listLinesEndingWith, type Line } from '../../../database/lines/lines.js'
import type { Context } from '../../context.js'
import { senderKindOf } from '../../../kit/text/sender-kind.js'
import { isLineAt } from '../../lines/routes.js'
import { inForce, parseNumber } from '../../messages/phone-number.js'

/**
 * Finds the account's line that an address belongs to, in any form that the carrier writes it.
 *
 * @throws Unavailable
 */
export async function findLineOf(
  { db, batched }: Context,
  carrier: string,
  { address }: CarrierAddress,
): Promise<Line | undefined> {
  const digits = address.replace(/^\+/, '')
  if (!/^\d+$/.test(digits)) return undefined
  const isShort = senderKindOf(digits) === 'short_code'
  const line =
    (isShort ? await batched.findLineByNumber(digits) : undefined) ??
    (await batched.findLineByNumber(inForce(`+${digits}`)))
  if (line !== undefined) return isLineAt(line, carrier) ? line : undefined
  const candidates = await listLinesEndingWith(db, carrier, digits.replace(/^0+/, ''))
  return candidates.find(({ number, country }) => parseNumber(address, country)?.number === number)
}

/** Returns E.164 for a number; short codes and names stay as they are. */
export function senderOf({ address, kind }: CarrierAddress, line: Line): string {
  if (kind !== 'local') return address
  return parseNumber(address, line.country)?.number ?? address
}
