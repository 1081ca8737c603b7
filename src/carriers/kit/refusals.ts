import { CarrierOutcomeUnknown, CarrierRejected, CarrierThrottled, CarrierUnavailable } from '../carrier.js'
import { MAX_REASON_LENGTH, readRetryAfter, withoutNumbers } from '../refusals.js'
import type { Answer } from './answer.js'
import { entryOf } from './reading.js'

/**
 * What a refusal is about, which decides what happens to the message.
 *
 * | meaning | error | the message | |---|---|---|
 * | `account` | unavailable | waits: an operator fixes the credentials, the credit or the set-up |
 * | `throttled` | throttled | waits as long as the provider asks |
 * | `rejected` | rejected | fails, with the provider's words and code |
 * | `opted_out` | rejected | fails, and the recipient counts as opted out of the line |
 * | `unknown` | outcome unknown | may have been taken, and is never sent again automatically |
 */
export type Meaning = 'account' | 'throttled' | 'rejected' | 'opted_out' | 'unknown'

/**
 * The meanings of a provider's codes: texts, or patterns such as /^20\d{3}$/. For a code that is not listed, the
 * answer's status decides.
 */
export type CodeTable = Partial<Record<Meaning, readonly (string | RegExp)[]>> & {
  /** The statuses that differ from `STATUSES`. */
  statuses?: Readonly<Record<number, Meaning>>
  /** Words for codes that come without any. */
  words?: Readonly<Record<string, string>>
}

/** A provider's refusal to take a message. */
export interface Refusal {
  /** The provider's code, such as `40300`. */
  code?: string
  /** The provider's words. */
  said?: string
  /** The meaning, if the answer itself shows what no code does. */
  meaning?: Meaning
}

const MEANINGS = ['account', 'throttled', 'opted_out', 'unknown', 'rejected'] as const

/**
 * The meanings that most providers share. Any other 4xx is about the message; with any other status the message may
 * have been taken.
 */
const STATUSES: Readonly<Record<number, Meaning>> = {
  // The API is at another URL, and has not processed the request. An operator corrects `apiUrl`.
  301: 'account',
  307: 'account',
  308: 'account',
  401: 'account',
  402: 'account',
  403: 'account',
  404: 'account',
  405: 'account',
  408: 'unknown',
  429: 'throttled',
}

/** Returns the meaning of a code by the table alone. */
export function meaningOf(table: CodeTable, code: string): Meaning | undefined {
  return MEANINGS.find((meaning) =>
    table[meaning]?.some((each) => (typeof each === 'string' ? each === code : each.test(code))),
  )
}

function meaningOfStatus({ statuses = {} }: CodeTable, status: number): Meaning {
  const known = statuses[status] ?? STATUSES[status]
  if (known !== undefined) return known
  return status >= 400 && status < 500 ? 'rejected' : 'unknown'
}

/** A code has no blanks and no phone number, and is short: it is stored, shown and counted as it is. */
const CODE = /^[\w.:/-]{1,64}$/

/** Returns the code; '' if the provider has written something else in its place, which then counts as its words. */
export function codeOf({ code = '' }: Refusal): string {
  return CODE.test(code) && withoutNumbers(code) === code ? code : ''
}

/** Shortens a provider's words and removes numbers: they are stored, shown and logged. */
export function wordsOf({ words = {} }: CodeTable, { code = '', said = '' }: Refusal): string {
  const isCode = codeOf({ code }) === code
  const shown = said.trim() || entryOf(words, code) || (isCode ? '' : code.trim())
  return withoutNumbers(shown).slice(0, MAX_REASON_LENGTH)
}

/**
 * Converts a refusal to one of the four errors. A refusal in a successful response is final unless its code says
 * otherwise.
 */
export function errorOfRefusal(
  title: string,
  table: CodeTable,
  answer: Answer,
  refusal: Refusal = {},
  now = Date.now(),
): Error {
  const { status, headers } = answer
  const code = codeOf(refusal)
  const { meaning: told } = refusal
  const isSuccess = status >= 200 && status < 300
  const meaning = told ?? meaningOf(table, code) ?? (isSuccess ? 'rejected' : meaningOfStatus(table, status))
  const words = wordsOf(table, refusal)
  const known = words === '' ? `${title} returned HTTP ${status}${code === '' ? '' : ` (${code})`}` : words
  switch (meaning) {
    case 'account':
      return new CarrierUnavailable(known)
    case 'throttled':
      return new CarrierThrottled(readRetryAfter(headers['retry-after'], now))
    case 'unknown':
      return new CarrierOutcomeUnknown(known)
    case 'rejected':
    case 'opted_out':
      return new CarrierRejected(known, code === '' ? undefined : code, meaning === 'opted_out')
  }
}
