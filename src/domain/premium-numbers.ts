import type { PhoneNumber } from 'libphonenumber-js/max'

/** Of the calling codes that belong to no country, the one that costs nobody anything (+800). The others: below. */
const FREEPHONE = '800'

/**
 * Whether to text a number may cost many times what others do, which somebody with a stolen webhook URL may earn on:
 * premium rates, also those that are nobody's yet (+1 900); personal numbers, which lead to wherever their holder likes
 * (UK 070); and what belongs to no country: satellites (+870, +881), international networks (+882, +883), universal
 * personal, shared-cost and premium numbers (+878, +808, +979).
 */
export function isPremiumNumber(number: PhoneNumber): boolean {
  if (number.isNonGeographic()) return number.countryCallingCode !== FREEPHONE
  if (number.number.startsWith('+1900')) return true
  const type = number.getType()
  return type === 'PREMIUM_RATE' || (type === 'PERSONAL_NUMBER' && !isSample(number))
}

/** +1 500 555…: nobody's. Specifications and carriers' test numbers are of them. */
function isSample({ number }: PhoneNumber): boolean {
  return /^\+1\d{3}555/.test(number)
}
