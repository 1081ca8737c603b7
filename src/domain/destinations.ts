import type { Line } from '../database/lines.js'
import type { ParsedNumber } from './phone-number.js'

/** Whether a line may send to a number: its country is allowed, it is no premium number, and not the line's own. */
export function maySendTo(
  line: Pick<Line, 'number' | 'allowedCountries'>,
  { number, country, isPremium }: ParsedNumber,
): boolean {
  const { allowedCountries } = line
  const isAllowed = allowedCountries === null || (country !== undefined && allowedCountries.includes(country))
  return isAllowed && !isPremium && number !== line.number
}
