/** Money is written, never computed with as a number: 0.1 + 0.2 would not be 0.3. */

/** More digits are no price. */
const WRITTEN = /^\d{1,12}(\.\d{1,18})?$/
const IN_POWERS = /^\d(\.\d+)?e-\d{1,2}$/i

/** A decimal number as others wrote it, `0.00750` or `7.5e-3`, in digits and a point; undefined for anything else. */
export function readDecimal(written: string): string | undefined {
  const trimmed = written.trim()
  if (WRITTEN.test(trimmed)) return trimmed
  // JSON may have a small price so, and a number of JavaScript is written so.
  return IN_POWERS.test(trimmed) ? Number(trimmed).toFixed(18).replace(/0+$/, '') : undefined
}

/** A decimal of `readDecimal` so many times, exactly. */
export function timesDecimal(decimal: string, count: number): string {
  const [whole = '', part = ''] = decimal.split('.')
  const digits = (BigInt(whole + part) * BigInt(count)).toString().padStart(part.length + 1, '0')
  return part === '' ? digits : `${digits.slice(0, -part.length)}.${digits.slice(-part.length)}`
}

/** A decimal of Postgres without the zeros at its end that say nothing; two places stay. */
export function writeMoney(decimal: string): string {
  const [whole = '', part = ''] = decimal.split('.')
  return `${whole}.${part.replace(/0+$/, '').padEnd(2, '0')}`
}
