import { parse } from 'csv-parse/sync'
import { UserError } from '../../../errors.js'

export const MAX_FILE_BYTES = 1024 * 1024
export const MAX_ROWS = 10_000
/** A file with more is something else; the page shows them all. */
const MAX_COLUMNS = 100

/** A file of recipients: one column has their numbers, and the others contain what a text may include for each. */
export interface ListFile {
  columns: string[]
  rows: ListRow[]
}

export interface ListRow {
  /** The row's number in a spreadsheet: a row can span several lines, and empty rows count too. */
  line: number
  values: string[]
}

/**
 * Reads CSV (RFC 4180). The separator is whichever of comma, semicolon and tab occurs most often in the first line. Rows without
 * any value are left out.
 *
 * @throws UserError if it is not CSV, or too long
 */
export function readListFile(written: string): ListFile {
  // Forms turn every line break into CRLF. Without this, a file that was posted again would have different texts.
  const csv = written
    .replace(/^\ufeff/, '')
    .replace(/\r\n?/g, '\n')
    .replace(FOR_EXCEL, '')
  if (Buffer.byteLength(csv) > MAX_FILE_BYTES) throw new UserError('The file is larger than 1 MiB', 413)
  if (csv.includes('\0')) throw new UserError('The file is not CSV. Save it as CSV (UTF-8)')
  const [head, ...rows] = parseRows(csv, delimiterOf(csv))
  if (head === undefined) throw new UserError('The file is empty')
  if (rows.length > MAX_ROWS) {
    throw new UserError(`The file has more than ${MAX_ROWS.toLocaleString('en')} rows. Split it`, 413)
  }
  return { columns: readColumns(head.values), rows }
}

/** Tells Excel the separator. Excel does not show it as a row. */
const FOR_EXCEL = /^sep=.\n/i

function delimiterOf(csv: string): string {
  const head = csv.slice(0, csv.indexOf('\n') + 1 || undefined).replace(/"[^"]*"/g, '')
  const counts = DELIMITERS.map((each) => head.split(each).length)
  return DELIMITERS[counts.indexOf(Math.max(...counts))] ?? ','
}

const DELIMITERS = [',', ';', '\t']

function parseRows(csv: string, delimiter: string): ListRow[] {
  const rows: ListRow[] = []
  let recordCount = 0
  try {
    parse(csv, {
      delimiter,
      relax_column_count: true,
      skip_empty_lines: true,
      on_record: (record: string[], { empty_lines: emptyCount }) => {
        recordCount += 1
        const values = record.map(plainValue)
        if (values.some((value) => value !== '')) rows.push({ line: recordCount + emptyCount, values })
        return null
      },
    })
    return rows
  } catch (error) {
    const { lines } = error as { lines?: unknown }
    if (typeof lines !== 'number') throw error
    throw new UserError(
      `Line ${lines} is not valid CSV. Put values that contain quotes in quotes, and double the quotes inside`,
    )
  }
}

/** An apostrophe in front keeps spreadsheets from reading a value as a formula. Our own exports have it too. */
function plainValue(value: string): string {
  return value.trim().replace(/^'(?=[=+@-])/, '')
}

/** @throws UserError unless each column can be named */
function readColumns(columns: string[]): string[] {
  if (columns.length > MAX_COLUMNS) throw new UserError(`The file has more than ${MAX_COLUMNS} columns`)
  if (columns.some((each) => /^\+?[\d\s()./-]{6,}$/.test(each))) {
    throw new UserError('The first line must name the columns, such as phone,name')
  }
  const known = new Set<string>()
  for (const column of columns) {
    const name = keyOf(column)
    if (name !== '' && known.has(name)) throw new UserError(`The file has two columns named “${column}”`)
    known.add(name)
  }
  return columns
}

/** Column names are compared without regard to case, and to how an accent is encoded, which differs on Macs. */
export function keyOf(column: string): string {
  return column.trim().normalize('NFC').toLowerCase()
}
