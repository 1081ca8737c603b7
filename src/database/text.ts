/**
 * Makes a text from outside storable in Postgres: without NUL characters, and with U+FFFD for lone surrogates. Use it
 * for texts that we store rather than refuse.
 */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/**
 * Makes a value for jsonb, such as rows for `jsonb_to_recordset`. Every text in it is made storable: jsonb refuses a
 * whole batch for one character in one row.
 */
export function toJson(value: object): string {
  return JSON.stringify(value, (_, value: unknown) => (typeof value === 'string' ? storable(value) : value))
}
