/**
 * A text as Postgres can hold it: without NUL characters, and with U+FFFD for lone surrogates. For what others
 * wrote and we keep rather than refuse.
 */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/**
 * Rows for `jsonb_to_recordset`. Every text in them is made storable: jsonb refuses a whole batch for one
 * character in one row.
 */
export function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows, (_, value: unknown) => (typeof value === 'string' ? storable(value) : value))
}
