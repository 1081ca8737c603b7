import { readDecimal, timesDecimal } from '../../kit/text/decimal.js'
import type { Charge } from '../records.js'

/** A text cannot have more. */
const MAX_SEGMENTS = 1000

/**
 * Reads the cost of a message from the provider's fields; undefined if they do not give it.
 *
 * @param said.price an amount, with or without a minus sign
 * @param said.isEach true if the price is for one segment, which means nothing without their number
 * @param said.segments their number; 0 if it is not known yet
 */
export function readCharge(said: {
  price?: string
  currency?: string
  isEach?: boolean
  segments?: string
}): Charge | undefined {
  const { price = '', currency = '', isEach = false, segments = '' } = said
  const segmentCount = /^\d{1,4}$/.test(segments) ? Number(segments) : 0
  const hasCount = segmentCount > 0 && segmentCount <= MAX_SEGMENTS
  const amount = readDecimal(price.replace(/^-/, ''))
  const isPriced = amount !== undefined && /^[A-Za-z]{3}$/.test(currency) && (!isEach || hasCount)
  if (!isPriced && !hasCount) return undefined
  return {
    ...(isPriced && {
      price: isEach ? timesDecimal(amount, segmentCount) : amount,
      currency: currency.toUpperCase(),
    }),
    ...(hasCount && { segmentCount }),
  }
}
