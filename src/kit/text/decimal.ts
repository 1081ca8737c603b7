import { withoutEnding } from '../../without-ending.js'

/** Money is stored as text, and never used in calculations as a number: 0.1 + 0.2 would not be 0.3. */

/** A number with more digits is not a price. */
const WRITTEN = /^\d{1,12}(\.\d{1,18})?$/
const IN_POWERS = /^\d(\.\d+)?e-\d{1,2}$/i

/**
 * Reads a decimal number such as `0.00750` or `7.5e-3` and writes it with digits and a point.
 *
 * @returns undefined for anything else
 */
export function readDecimal(written: string): string | undefined {
  const trimmed = written.trim()
  if (WRITTEN.test(trimmed)) return trimmed
  // JSON may write a small price like this, and JavaScript does.
  return IN_POWERS.test(trimmed) ? withoutEnding(Number(trimmed).toFixed(18), '0') : undefined
}

/** Multiplies a decimal of `readDecimal` by a count, exactly. */
export function timesDecimal(decimal: string, count: number): string {
  const [whole = '', part = ''] = decimal.split('.')
  const digits = (BigInt(whole + part) * BigInt(count)).toString().padStart(part.length + 1, '0')
  return part === '' ? digits : `${digits.slice(0, -part.length)}.${digits.slice(-part.length)}`
}

/** Writes a decimal of Postgres without meaningless trailing zeros; two decimal places stay. */
export function writeMoney(decimal: string): string {
  const [whole = '', part = ''] = decimal.split('.')
  return `${whole}.${withoutEnding(part, '0').padEnd(2, '0')}`
}
