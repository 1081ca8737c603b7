import { setImmediate as nextTurn } from 'node:timers/promises'
import type { OwnLine } from '../../../database/lines/lines.js'
import { findUnwilling, type ListedText } from '../../../database/messages/text-lists.js'
import { refusalOf, UserError } from '../../../errors.js'
import { countSegments, type AccountTable } from '../../../kit/text/segments.js'
import type { Context } from '../../context.js'
import { parseNumber } from '../phone-number.js'
import { MAX_TEXT_LENGTH, MAX_TEXT_UNITS, REFUSALS, requireSendable } from '../submit/refusals.js'
import { NotAllowed, readDestination } from '../submit/destination.js'
import { keyOf, type ListFile, type ListRow } from './read-file.js'

/** The user's request: a file, a text with `{{column}}` in it, and the name of the column with the numbers. */
export interface AskedList {
  file: ListFile
  text: string
  /** The name of the column; if empty, the most likely one is used. */
  column: string
}

/** The planned result of every row. */
export interface ListPlan {
  /** The column with the numbers. */
  column: string
  texts: PlannedText[]
  goodCount: number
  segmentCount: number
  /** The languages whose tables the texts may be sent with. */
  languages: readonly AccountTable[]
}

export interface PlannedText extends ListedText {
  /** The number as it is in the file. */
  writtenNumber: string
}

/** Other requests get a turn after this many rows: reading a number or counting segments takes about 30 µs. */
const ROWS_AT_ONCE = 200

/**
 * Returns the texts as they will be sent, and the reasons why rows get none.
 *
 * @throws UserError for the text and the column
 */
export async function planList(context: Context, line: OwnLine, asked: AskedList): Promise<ListPlan> {
  const { file } = asked
  const write = readTemplate(asked.text, file.columns)
  const place = findColumn(file, asked.column, line.country)
  const texts: PlannedText[] = []
  const seen = new Map<string, number>()
  for (const [n, row] of file.rows.entries()) {
    if (n % ROWS_AT_ONCE === 0) await nextTurn()
    texts.push(planRow(line, file, row, { place, write, seen }))
  }
  const unwilling = await findUnwilling(context.db, { lineId: line.id, userId: line.userId }, [
    ...seen.keys(),
  ])
  const languages = await context.batched.findLanguages(line.carrierAccount)
  let goodCount = 0
  let segmentCount = 0
  for (const [n, planned] of texts.entries()) {
    if (n % ROWS_AT_ONCE === 0) await nextTurn()
    const why = planned.text === null ? undefined : unwilling.get(planned.toNumber ?? '')
    if (why !== undefined) Object.assign(planned, { text: null, reason: UNWILLING[why] })
    if (planned.text === null) continue
    goodCount += 1
    segmentCount += countSegments(planned.text, languages)
  }
  return { column: file.columns[place] ?? '', texts, goodCount, segmentCount, languages }
}

const UNWILLING = { opted_out: 'Opted out with STOP', blocked: 'You blocked this number' }

function planRow(
  line: OwnLine,
  { columns }: ListFile,
  { line: at, values }: ListRow,
  how: { place: number; write: Write; seen: Map<string, number> },
): PlannedText {
  const { place, write, seen } = how
  const writtenNumber = values[place] ?? ''
  const planned = { line: at, writtenNumber, toNumber: null, text: null, reason: null }
  if (values.length !== columns.length) {
    return { ...planned, reason: `Has ${values.length} values instead of ${columns.length}` }
  }
  try {
    const toNumber = readDestination({ ...line, lineNumber: line.number }, writtenNumber)
    const before = seen.get(toNumber)
    if (before !== undefined) return { ...planned, toNumber, reason: `Same number as row ${before}` }
    const written = write(values)
    // If a row has no text, a later row can use its number.
    if (written.text !== null) seen.set(toNumber, at)
    return { ...planned, toNumber, ...written }
  } catch (error) {
    const reason = error instanceof NotAllowed ? error.reason : explainRefusal(refusalOf(error).message)
    return { ...planned, reason }
  }
}

/** Returns a row's text, or the reason why it has none. */
type Write = (values: readonly string[]) => { text: string; reason: null } | { text: null; reason: string }

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

/** @throws UserError if the text is empty, or names a column that does not exist */
function readTemplate(written: string, columns: readonly string[]): Write {
  const template = written.replace(/\r\n?/g, '\n').toWellFormed()
  if (template.trim() === '') throw new UserError('Enter a text')
  requireShort(template)
  const places = new Map(columns.map((column, n) => [keyOf(column), n]))
  let ownLength = template.length
  const placeholders: { name: string; place: number }[] = []
  for (const [whole, name = ''] of template.matchAll(PLACEHOLDER)) {
    const place = keyOf(name) === '' ? undefined : places.get(keyOf(name))
    if (place === undefined) {
      const named = columns.filter((each) => each !== '').map((each) => `{{${each}}}`)
      throw new UserError(`The file has no column for ${whole}. You can use ${named.join(', ')}`)
    }
    ownLength -= whole.length
    placeholders.push({ name: name.trim(), place })
  }
  return (values) => {
    const inserted = placeholders.map(({ place }) => values[place] ?? '')
    const missing = placeholders[inserted.indexOf('')]
    if (missing !== undefined) return { text: null, reason: `{{${missing.name}}} is empty` }
    // A text that repeats a long value hundreds of times would take gigabytes, so its length is checked first.
    const length = inserted.reduce((sum, value) => sum + value.length, ownLength)
    if (length > MAX_TEXT_UNITS) return { text: null, reason: explainRefusal(REFUSALS.tooLong) }
    const rest = inserted.values()
    try {
      const text = template.replace(PLACEHOLDER, () => rest.next().value ?? '')
      requireSendable(text)
      return { text, reason: null }
    } catch (error) {
      return { text: null, reason: explainRefusal(refusalOf(error).message) }
    }
  }
}

function requireShort(template: string): void {
  try {
    requireSendable(template)
  } catch (error) {
    throw new UserError(explainRefusal(refusalOf(error).message))
  }
}

/** How many rows decide which column has the numbers. */
const SAMPLE = 20
/** Names of a column of phone numbers, and names that a column of other figures may have as well. */
const NUMBER_COLUMN = /phone|mobil|m[oó]vil|\bcel|handy|\btel|msisdn|whatsapp|^to$|^to.?number$/
const MAYBE_NUMBER_COLUMN = /^(number|recipient)$/

/** @throws UserError if a column is named that does not exist */
function findColumn({ columns, rows }: ListFile, asked: string, country: string | null): number {
  if (asked.trim() !== '') {
    const place = columns.findIndex((each) => keyOf(each) === keyOf(asked))
    if (place === -1) throw new UserError(`The file has no column named “${asked.trim()}”`)
    return place
  }
  const sample = rows.slice(0, SAMPLE)
  const scores = columns.map((column, n) => {
    const written = sample.map(({ values }) => values[n] ?? '')
    const readable = written.filter((each) => parseNumber(each, country) !== undefined)
    const byName = NUMBER_COLUMN.test(keyOf(column)) ? 2 : MAYBE_NUMBER_COLUMN.test(keyOf(column)) ? 1 : 0
    if (readable.length === 0) return byName / SAMPLE
    // A customer number can look like a phone number, but nobody puts a plus sign in front of it.
    return byName * 2 * SAMPLE + readable.length + readable.filter((each) => each.startsWith('+')).length
  })
  return Math.max(0, scores.indexOf(Math.max(...scores)))
}

const WORDS: Partial<Record<string, string>> = {
  [REFUSALS.tooLong]: `The text has more than ${MAX_TEXT_LENGTH.toLocaleString('en')} characters`,
  [REFUSALS.notANumber]: 'Not a phone number',
  [REFUSALS.optedOut]: UNWILLING.opted_out,
}

/** Rewords a refusal of the API for people. */
export function explainRefusal(message: string): string {
  return WORDS[message] ?? message
}
