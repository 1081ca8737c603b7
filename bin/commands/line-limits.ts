import type { Line } from '../../src/database/lines/lines.js'
import type { LineLimits } from '../../src/domain/lines/lines.js'

/** The options of where and how fast a line may send. */
export interface LimitOptions {
  countries?: string
  perNumber?: number
  perMinute?: number
}

export const COUNTRIES = 'countries it may send to, such as US,CA (default: all)'

export function limitsOf({ countries, perNumber, perMinute }: LimitOptions): Partial<LineLimits> {
  return {
    ...(countries === undefined ? {} : { allowedCountries: isAll(countries) ? null : countries.split(',') }),
    ...(perNumber === undefined ? {} : { messagesPerNumberPerMinute: perNumber }),
    ...(perMinute === undefined ? {} : { messagesPerMinute: perMinute }),
  }
}

function isAll(countries: string): boolean {
  return countries.trim().toLowerCase() === 'all'
}

export function countriesOf({ allowedCountries }: Pick<Line, 'allowedCountries'>): string {
  return allowedCountries?.join(',') ?? 'all countries'
}
