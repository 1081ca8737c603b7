import type { CountryCode, PhoneNumber } from 'libphonenumber-js/max'
import type { Line } from '../../database/lines/lines.js'
import { phoneLibrary } from '../../kit/text/phone-library.js'
import { withoutTelScheme } from '../../kit/text/tel-uri.js'
import { isPlainE164 } from './plain-e164.js'

export interface ParsedNumber {
  /** An E.164 number. */
  number: string
  /** An ISO 3166 code; undefined for numbers that belong to no single country. */
  country: string | undefined
  isPremium: boolean
}

/**
 * E.164 has 15 digits; the rest is room for signs, spaces and `tel:`. Parsing a long text would block the event loop.
 */
export const MAX_NUMBER_LENGTH = 64

/**
 * Reads a number as people write it: E.164, the national format of the line's own country, or digits that start with
 * a country code; in any width of characters (NFKC), and as a `tel:` URI. Characters that nobody sees, such as the
 * direction marks that contact apps copy, are dropped. The number need only be possible, not valid: numbers that were
 * never given out, such as the 555 numbers of documentation, are accepted.
 *
 * @returns undefined if it cannot be a phone number
 */
export function parseNumber(input: string, lineCountry: string | null): ParsedNumber | undefined {
  if (isPlainE164(input)) return describePlain(input, lineCountry)
  const written = tidy(input)
  return written === undefined ? undefined : parseByLibrary(written, lineCountry)
}

/** Loads the rules of all countries, so that the first text of a process does not wait for them. */
export function prepareToReadNumbers(): void {
  isPlainE164('+15551234567')
}

function describePlain(number: string, lineCountry: string | null): ParsedNumber {
  return {
    number,
    get country() {
      return countryOf(read(number, lineCountry ?? undefined))
    },
    isPremium: false,
  }
}

/**
 * Reads the numbers that `isPlainE164` cannot decide.
 *
 * @param written without the scheme `tel:` and spaces around it
 */
export function parseByLibrary(written: string, lineCountry: string | null): ParsedNumber | undefined {
  const national = readAcceptable(written, lineCountry ?? undefined)
  return describe(likelier(national, readWithCountryCode(written)))
}

/** Reads a number that must not be guessed: like `parseNumber`, but the plus sign is required. */
export function parseE164(input: string): ParsedNumber | undefined {
  if (isPlainE164(input)) return describePlain(input, null)
  const written = tidy(input)
  return written?.startsWith('+') === true ? describe(readAcceptable(written, undefined)) : undefined
}

/**
 * Programs that mistake a column of phone numbers for figures write `4152000123.0`. As digits in two groups that would
 * be somebody's number in Switzerland.
 */
const WITH_FRACTION = /^(\+?\d+)\.0+$/

function tidy(input: string): string | undefined {
  const written = withoutTelScheme(withoutInvisible(input.normalize('NFKC')).trim())?.trim()
  return written === undefined || written.length > MAX_NUMBER_LENGTH
    ? undefined
    : written.replace(WITH_FRACTION, '$1')
}

/** Drops format characters (Unicode Cf): direction marks, zero-width spaces, soft hyphens. */
export function withoutInvisible(written: string): string {
  return written.replace(/\p{Cf}/gu, '')
}

/**
 * Digits without a plus sign can often be read in two ways. A valid reading wins over a merely possible one, and a
 * mobile number over a landline: nearly every sequence of 11 digits is a valid German landline. Among equals the
 * national reading wins, unless the digits begin with the line's own country code: people write that only if they mean
 * it.
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

/** Digits in groups must be a valid number: `555-123-456` is more likely a local number with a missing digit. */
function readWithCountryCode(digits: string): PhoneNumber | undefined {
  if (!/^\d/.test(digits)) return undefined
  const found = readAcceptable(`+${digits}`, undefined)
  return /^\d+$/.test(digits) || found?.isValid() === true ? found : undefined
}

function describe(read: PhoneNumber | undefined): ParsedNumber | undefined {
  return (
    read && {
      number: read.number,
      // The country is looked up only when it is needed: that costs half as much as the reading, and most lines may
      // send to every country.
      get country() {
        return countryOf(read)
      },
      isPremium: isPremiumNumber(read),
    }
  )
}

/** A number that is not assigned, such as +1 555…, belongs to the first country of its calling code. */
function countryOf(read: PhoneNumber | undefined): string | undefined {
  return read?.country ?? read?.getPossibleCountries()[0]
}

/**
 * Phones in Mexico were called from abroad with a 1 after the country code until 3 August 2019 (ITU Operational
 * Bulletin 1151). Since then the number is the same without it, and the library calls one with it impossible; but
 * networks still write it as the sender of a text. (The 9 of Argentina is in force, and possible with the library.)
 */
const OLD_MEXICAN_PHONE = /^\+521(?=\d{10}$)/

/**
 * Writes an E.164 number in its current form, so that a person has a single number: for the conversation, the limits,
 * the opt-out, and the texts that are sent back. Any other text stays as it is.
 */
export function inForce(number: string): string {
  return number.startsWith('+521') ? number.replace(OLD_MEXICAN_PHONE, '+52') : number
}

/**
 * Takes a number that is possible and has no extension, and returns its one spelling: `+91 00 98…` reads as `+91 0
 * 98…`, and that as `+91 98…`. Otherwise each spelling would have separate limits and a separate opt-out.
 */
function readAcceptable(written: string, country: string | undefined): PhoneNumber | undefined {
  const found = readInForce(written, country)
  if (found?.isPossible() !== true || found.ext) return undefined
  // Most numbers are already in E.164, and reading them again would be costly.
  if (found.number === written) return found
  return read(found.number, undefined)?.number === found.number ? found : undefined
}

/** Without a plus sign, 1 and ten digits are more likely a number of the United States than one of Mexico. */
function readInForce(written: string, country: string | undefined): PhoneNumber | undefined {
  const found = read(written, country)
  if (found === undefined || found.ext || !written.startsWith('+')) return found
  const number = inForce(found.number)
  return number === found.number ? found : read(number, undefined)
}

function read(written: string, country: string | undefined): PhoneNumber | undefined {
  return phoneLibrary().parsePhoneNumberFromString(written, {
    extract: false,
    ...(country === undefined ? {} : { defaultCountry: country as CountryCode }),
  })
}

/** The one calling code without a country that is free for every caller (+800). The others may be expensive. */
const FREEPHONE = '800'

/**
 * True if a text to the number may cost many times the usual price, which could make money for a thief of a webhook
 * URL. These are premium rates, even if the number is not assigned yet (+1 900); personal numbers, which lead wherever
 * their holder likes (UK 070); and numbers of no country: satellites (+870, +881), international networks (+882, +883),
 * universal personal, shared-cost and premium numbers (+878, +808, +979).
 */
function isPremiumNumber(number: PhoneNumber): boolean {
  if (number.isNonGeographic()) return number.countryCallingCode !== FREEPHONE
  if (number.number.startsWith('+1900')) return true
  const type = number.getType()
  return type === 'PREMIUM_RATE' || (type === 'PERSONAL_NUMBER' && !isSample(number))
}

/** Numbers +1 500 555… are not assigned: documentation and carriers use them as test numbers. */
function isSample({ number }: PhoneNumber): boolean {
  return /^\+1\d{3}555/.test(number)
}

/** True if a line may send to a number: its country is allowed, it is not a premium number, and not the line's own. */
export function maySendTo(line: Pick<Line, 'number' | 'allowedCountries'>, to: ParsedNumber): boolean {
  if (to.isPremium || to.number === line.number) return false
  const { allowedCountries } = line
  return allowedCountries === null || (to.country !== undefined && allowedCountries.includes(to.country))
}

/**
 * Splits a number into the parts in which people of its country write it: `+1`, `555`, `123`, `4567`. Joined, they
 * are the number again; any other text, such as a short code, is one part.
 */
export function partsOfNumber(number: string): string[] {
  if (!number.startsWith('+')) return [number]
  const parts =
    phoneLibrary()
      .parsePhoneNumberFromString(number)
      ?.formatInternational()
      .split(/[\s-]+/) ?? []
  return parts.join('') === number ? parts : [number]
}
