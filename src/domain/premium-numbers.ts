import type { PhoneNumber } from 'libphonenumber-js/max'

/** The one calling code without a country that is free for everybody (+800). The others may be expensive. */
const FREEPHONE = '800'

/**
 * Whether a text to the number may cost many times the usual price, which somebody with a stolen webhook URL could earn
 * by. These are premium rates, even if nobody has the number yet (+1 900); personal numbers, which lead to wherever their
 * holder likes (UK 070); and numbers of no country: satellites (+870, +881), international networks (+882, +883),
 * universal personal, shared-cost and premium numbers (+878, +808, +979).
 */
export function isPremiumNumber(number: PhoneNumber): boolean {
  if (number.isNonGeographic()) return number.countryCallingCode !== FREEPHONE
  if (number.number.startsWith('+1900')) return true
  const type = number.getType()
  return type === 'PREMIUM_RATE' || (type === 'PERSONAL_NUMBER' && !isSample(number))
}

/** Nobody has a number +1 500 555…: documentation and carriers use them as test numbers. */
function isSample({ number }: PhoneNumber): boolean {
  return /^\+1\d{3}555/.test(number)
}
