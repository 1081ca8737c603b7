import { sha256 } from '../secrets.js'

/**
 * Makes a text from outside storable in Postgres: without NUL characters, and with U+FFFD for lone surrogates. Use it
 * for texts that we store rather than refuse.
 */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/** An entry of an index has 2.7 KB at most, with its other columns. */
const MAX_INDEXED_BYTES = 1000
/** Enough to recognize a text that was cut. */
const SHOWN_LENGTH = 100

/**
 * Makes a text from outside storable in an index, where Postgres refuses the whole batch for one that is too long: it is
 * cut, and its hash distinguishes it from others. A text that was cut stays as it is.
 */
export function indexable(text: string): string {
  const stored = storable(text)
  if (Buffer.byteLength(stored) <= MAX_INDEXED_BYTES) return stored
  return `${stored.slice(0, SHOWN_LENGTH).toWellFormed()}…${sha256(stored).toString('hex')}`
}

/**
 * Makes a value for jsonb, such as rows for `jsonb_to_recordset`. Every text in it is made storable: jsonb refuses a
 * whole batch for one character in one row.
 */
export function toJson(value: object): string {
  return JSON.stringify(value, (_, value: unknown) => (typeof value === 'string' ? storable(value) : value))
}
