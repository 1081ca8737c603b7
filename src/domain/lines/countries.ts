import { UserError } from '../../errors.js'
import { phoneLibrary } from '../../kit/text/phone-library.js'

/** Codes that people use for a country, but that are not in ISO 3166. */
const ALIASES: Record<string, string> = { UK: 'GB', EL: 'GR' }

export function isCountry(code: string): boolean {
  return phoneLibrary().isSupportedCountry(code)
}

/**
 * Reads the countries that a line may send to.
 *
 * @returns null for all countries
 * @throws UserError
 */
export function readAllowedCountries(countries: readonly string[] | null | undefined): string[] | null {
  if (countries === undefined || countries === null) return null
  const codes = countries.map((code) => code.trim().toUpperCase())
  const wrong = codes.find((code) => !isCountry(code))
  if (codes.length === 0 || wrong !== undefined) {
    throw new UserError(
      `allowedCountries must be two-letter ISO 3166 codes, such as US,CA${hintFor(wrong ?? '')}`,
    )
  }
  return [...new Set(codes)]
}

/** Returns the end of a sentence about country codes: the one that is wrong, and the one that may have been meant. */
export function hintFor(wrong: string): string {
  if (wrong === '') return ''
  const meant = ALIASES[wrong]
  return `. ${wrong} is not one${meant === undefined ? '' : `. Did you mean ${meant}?`}`
}
