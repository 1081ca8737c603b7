import type { CountryCode } from 'libphonenumber-js/max'
import { phoneLibrary } from '../../kit/text/phone-library.js'

/**
 * The form in which a provider writes numbers: `+15551234567`, `15551234567`, `0015551234567`, or as people of the
 * line's country do, `5551234567`.
 */
export type NumberForm = 'plus' | 'plain' | 'zeros' | 'national'

/** E.164 has up to 15 digits; fewer than 8 are a short code, and 8 without a prefix may be one. */
const INTERNATIONAL = /^(\+|00)?([1-9]\d{7,14})$/
const LONGEST_SHORT_CODE = 8

/** The separators that people put into numbers. */
const SIGNS = /[\s().-]/g

/**
 * Converts a number in any of these forms to E.164. A short code and a name stay as they are.
 *
 * @param line one of our numbers in E.164, whose country national numbers belong to; only `national` needs it
 */
export function readNumber(written: string, form: NumberForm = 'plus', line = ''): string {
  const tidy = written.replace(SIGNS, '')
  if (form === 'national' && !/^(?:\+|00)/.test(tidy)) return readNational(tidy, line) ?? written
  const [, prefix, digits] = INTERNATIONAL.exec(tidy) ?? []
  if (digits === undefined) return written
  const mayBeShort = prefix === undefined && digits.length <= LONGEST_SHORT_CODE
  return mayBeShort && !isPossible(`+${digits}`) ? written : `+${digits}`
}

/** Some short codes, such as those of Australia, are as long as the numbers of small countries. */
function isPossible(number: string): boolean {
  return phoneLibrary().parsePhoneNumberFromString(number)?.isPossible() === true
}

function readNational(tidy: string, line: string): string | undefined {
  const parsed = phoneLibrary().parsePhoneNumberFromString(tidy, countryOf(line))
  return parsed?.isPossible() === true ? parsed.number : undefined
}

/** Converts an E.164 number to the provider's form. Any other text stays as it is. */
export function writeNumber(number: string, form: NumberForm = 'plus', line = ''): string {
  if (!/^\+[1-9]\d{6,14}$/.test(number)) return number
  const digits = number.slice(1)
  switch (form) {
    case 'plus':
      return number
    case 'plain':
      return digits
    case 'zeros':
      return `00${digits}`
    case 'national': {
      const parsed = phoneLibrary().parsePhoneNumberFromString(number)
      const isAtHome = parsed?.country !== undefined && parsed.country === countryOf(line)
      return isAtHome ? parsed.formatNational().replace(/\D/g, '') : number
    }
  }
}

function countryOf(number: string): CountryCode | undefined {
  return phoneLibrary().parsePhoneNumberFromString(number)?.country
}
