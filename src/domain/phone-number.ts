import { parsePhoneNumberFromString, type CountryCode, type PhoneNumber } from 'libphonenumber-js/max'
import { withoutTelScheme } from './tel-uri.js'
import { isPremiumNumber } from './premium-numbers.js'

export interface ParsedNumber {
  /** E.164 */
  number: string
  /** ISO 3166; undefined for numbers of no one country */
  country: string | undefined
  isPremium: boolean
}

const MAX_LENGTH = 64

/**
 * Reads a number as people write it: E.164, the national format of the line's own country, or digits that start
 * with a country code; in any width of characters (NFKC), and as a `tel:` URI. "Possible" is enough, not "valid"
 * (contract §2): numbers that were never given out, such as the 555 samples of specifications, are accepted.
 *
 * @returns undefined when it cannot be a phone number
 */
export function parseNumber(input: string, lineCountry: string | null): ParsedNumber | undefined {
  const written = tidy(input)
  if (written === undefined) return undefined
  const national = readAcceptable(written, lineCountry ?? undefined)
  return describe(likelier(national, readWithCountryCode(written)))
}

/** As `parseNumber`, but only with its plus sign: for a number that nobody shall guess at. */
export function parseE164(input: string): ParsedNumber | undefined {
  const written = tidy(input)
  return written?.startsWith('+') === true ? describe(readAcceptable(written, undefined)) : undefined
}

function tidy(input: string): string | undefined {
  const written = withoutTelScheme(input.normalize('NFKC').trim())?.trim()
  return written === undefined || written.length > MAX_LENGTH ? undefined : written
}

/**
 * Digits without a plus sign can often be read twice. A valid reading wins over a merely possible one (contract §2);
 * so does one of a phone that takes texts over a landline: nearly every row of 11 digits is a valid German landline.
 * Among equals it is the national one, unless the digits begin with the line's own country code: nobody writes that
 * but who means it.
 */
function likelier(
  national: PhoneNumber | undefined,
  international: PhoneNumber | undefined,
): PhoneNumber | undefined {
  if (national === undefined || international === undefined) return national ?? international
  const [atHome, abroad] = [likelihood(national), likelihood(international)]
  const isOwnCode = national.countryCallingCode === international.countryCallingCode
  return abroad > atHome || (abroad === atHome && isOwnCode) ? international : national
}

function likelihood(read: PhoneNumber): number {
  if (!read.isValid()) return 0
  return read.getType() === 'FIXED_LINE' ? 1 : 2
}

/** In groups only a valid number: `555-123-456` is rather a number of somewhere near with a digit too few. */
function readWithCountryCode(digits: string): PhoneNumber | undefined {
  if (!/^\d/.test(digits)) return undefined
  const found = readAcceptable(`+${digits}`, undefined)
  return /^\d+$/.test(digits) || found?.isValid() === true ? found : undefined
}

function describe(read: PhoneNumber | undefined): ParsedNumber | undefined {
  return (
    read && {
      number: read.number,
      // A number that nobody has, such as +1 555…, belongs to the first country of its calling code. Looked for when
      // somebody asks, which costs as much as half of the reading: most lines may send to every country.
      get country() {
        return read.country ?? read.getPossibleCountries()[0]
      },
      isPremium: isPremiumNumber(read),
    }
  )
}

/**
 * Possible, without an extension, and in its one spelling: `+91 00 98…` reads as `+91 0 98…`, and that as
 * `+91 98…`, each of which would have limits and an opt-out of its own.
 */
function readAcceptable(written: string, country: string | undefined): PhoneNumber | undefined {
  const found = read(written, country)
  if (found?.isPossible() !== true || found.ext) return undefined
  // Reading is most of what a number costs, and most are written so.
  if (found.number === written) return found
  return read(found.number, undefined)?.number === found.number ? found : undefined
}

function read(written: string, country: string | undefined): PhoneNumber | undefined {
  return parsePhoneNumberFromString(written, {
    extract: false,
    ...(country === undefined ? {} : { defaultCountry: country as CountryCode }),
  })
}
