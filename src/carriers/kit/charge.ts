import { readDecimal, timesDecimal } from '../../kit/text/decimal.js'
import type { Charge } from '../records.js'

/** More are no text. */
const MAX_SEGMENTS = 1000

/**
 * What a provider says that a message costs, as it has written it; undefined where it says nothing of it.
 *
 * @param said.price an amount, with a minus sign or without
 * @param said.isEach the price is that of one segment, and means nothing without their number
 * @param said.segments how many there are; 0 where that is not known yet
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
