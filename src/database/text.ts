/**
 * A text as Postgres can hold it: without NUL characters, and with U+FFFD for lone surrogates. For what others
 * wrote and we keep rather than refuse.
 */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/**
 * A value for jsonb, such as rows for `jsonb_to_recordset`. Every text in it is made storable: jsonb refuses a whole
 * batch for one character in one row.
 */
export function toJson(value: object): string {
  return JSON.stringify(value, (_, value: unknown) => (typeof value === 'string' ? storable(value) : value))
}
