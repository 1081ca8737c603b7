import type { Options } from 'csv-stringify'

/**
 * The file has a header row. Texts that people wrote, and numbers in E.164, must not become formulas in a spreadsheet.
 */
export const CSV: Options = {
  header: true,
  escape_formulas: true,
  cast: { boolean: String, date: (date) => date.toISOString() },
}
