import { parsePhoneNumberFromString, type CountryCode, type PhoneNumber } from 'libphonenumber-js/max'
import { isPremiumNumber } from './premium-numbers.js'

export interface ParsedNumber {
  /** E.164 */
  number: string
  /** ISO 3166; undefined for numbers of no one country */
  country: string | undefined
  isPremium: boolean
}

/**
 * Reads a number as people write it: E.164, else in the national format of the line's own country, else as
 * digits that start with a country code. "Possible" is enough, not "valid" (contract §2): numbers that were
 * never given out, such as the 555 samples of specifications, are accepted.
 *
 * @returns undefined when it cannot be a phone number
 */
export function parseNumber(input: string, lineCountry: string | null): ParsedNumber | undefined {
  const written = input.trim()
  if (written.length > 64) return undefined
  const candidates = [
    read(written, lineCountry ?? undefined),
    /^\d+$/.test(written) ? read(`+${written}`, undefined) : undefined,
  ]
  const found = candidates.find(isAcceptable)
  return (
    found && {
      number: found.number,
      // A number that nobody has, such as +1 555…, belongs to the first country of its calling code.
      country: found.country ?? found.getPossibleCountries()[0],
      isPremium: isPremiumNumber(found),
    }
  )
}

/**
 * Possible, without an extension, and in its one spelling: `+91 00 98…` reads as `+91 0 98…`, and that as
 * `+91 98…`, each of which would have limits and an opt-out of its own.
 */
function isAcceptable(candidate: PhoneNumber | undefined): candidate is PhoneNumber {
  if (candidate?.isPossible() !== true || candidate.ext) return false
  return read(candidate.number, undefined)?.number === candidate.number
}

function read(written: string, country: string | undefined): PhoneNumber | undefined {
  return parsePhoneNumberFromString(written, {
    extract: false,
    ...(country === undefined ? {} : { defaultCountry: country as CountryCode }),
  })
}
