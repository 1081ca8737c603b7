import type { CarrierAccountFields } from '../../../database/carriers/carrier-accounts.js'
import { UserError } from '../../../errors.js'

/** At one message per thousand seconds, 14 go out before the next one expires (after four hours by default). */
export const MIN_PER_SECOND = 0.001
/** One process sends far less. The slots of a pace are stored in Redis, where a larger number would cost memory. */
export const MAX_PER_SECOND = 10_000

/**
 * How much is stored of a fault that a carrier, or its code, reports. A normal sentence fits; without a bound, a whole
 * page of HTML would be stored and shown in a list.
 */
export const MAX_FAULT_LENGTH = 1000

/** @throws UserError 400 */
export function readAccountName(name: string): string {
  if (/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) return name
  throw new UserError('name must be 1 to 40 lowercase letters, digits or dashes, such as twilio-main')
}

/**
 * Returns the given fields; null means no limit.
 *
 * @throws UserError 400, which names the field
 */
export function readAccountFields(written: Partial<CarrierAccountFields>): Partial<CarrierAccountFields> {
  for (const field of ['messagesPerSecond', 'messagesPerSecondPerLine'] as const) {
    const pace = written[field]
    // NaN is in no range, so it is refused too.
    if (pace != null && !(pace >= MIN_PER_SECOND && pace <= MAX_PER_SECOND)) {
      throw new UserError(
        `${field} must be a number from ${MIN_PER_SECOND} to ${MAX_PER_SECOND}, such as 0.5, or none for no limit`,
      )
    }
  }
  return written
}
