import type { Line } from '../database/lines.js'
import type { ParsedNumber } from './phone-number.js'

/** Whether a line may send to a number: its country is allowed, it is no premium number, and not the line's own. */
export function maySendTo(line: Pick<Line, 'number' | 'allowedCountries'>, to: ParsedNumber): boolean {
  if (to.isPremium || to.number === line.number) return false
  const { allowedCountries } = line
  return allowedCountries === null || (to.country !== undefined && allowedCountries.includes(to.country))
}
