import { CarrierOutcomeUnknown, CarrierRejected, CarrierThrottled, CarrierUnavailable } from '../carrier.js'
import { MAX_REASON_LENGTH, readRetryAfter, withoutNumbers } from '../refusals.js'
import type { Answer } from './answer.js'
import { entryOf } from './reading.js'

/**
 * What a refusal is about, and so what becomes of the message.
 *
 * | meaning | error | the message |
 * |---|---|---|
 * | `account` | unavailable | waits: an operator mends the credentials, the credit or the set-up |
 * | `throttled` | throttled | waits as long as the provider asks |
 * | `rejected` | rejected | fails, with the provider's words and code |
 * | `opted_out` | rejected | fails, and the recipient counts as opted out of the line |
 * | `unknown` | outcome unknown | may have been taken, and is never sent again by itself |
 */
export type Meaning = 'account' | 'throttled' | 'rejected' | 'opted_out' | 'unknown'

/** What a provider's codes mean: texts, or patterns such as /^20\d{3}$/. A code that is nowhere goes by the answer's status. */
export type CodeTable = Partial<Record<Meaning, readonly (string | RegExp)[]>> & {
  /** Statuses that mean another thing than `STATUSES` says. */
  statuses?: Readonly<Record<number, Meaning>>
  /** Codes in words, for those that come without any. */
  words?: Readonly<Record<string, string>>
}

/** What a provider says when it takes no message. */
export interface Refusal {
  /** Its own, such as `40300`. */
  code?: string
  /** Its words. */
  said?: string
  /** Where the answer itself says what no code does. */
  meaning?: Meaning
}

const MEANINGS = ['account', 'throttled', 'opted_out', 'unknown', 'rejected'] as const

/** What most mean by these. Any other 4xx is about the message, and what is no 4xx may have been taken. */
const STATUSES: Readonly<Record<number, Meaning>> = {
  401: 'account',
  402: 'account',
  403: 'account',
  404: 'account',
  405: 'account',
  408: 'unknown',
  429: 'throttled',
}

/** What a code means by the table alone. */
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

/** A provider's words, without numbers and bounded: they are kept, shown and logged. */
export function wordsOf({ words = {} }: CodeTable, { code = '', said = '' }: Refusal): string {
  const shown = said.trim() === '' ? (entryOf(words, code) ?? '') : said.trim()
  return withoutNumbers(shown).slice(0, MAX_REASON_LENGTH)
}

/** A refusal as one of the four errors. In an answer of success, whatever no code explains is final: the provider refused. */
export function errorOfRefusal(
  title: string,
  table: CodeTable,
  answer: Answer,
  refusal: Refusal = {},
  now = Date.now(),
): Error {
  const { status, headers } = answer
  const { code = '', meaning: told } = refusal
  const isSuccess = status >= 200 && status < 300
  const meaning = told ?? meaningOf(table, code) ?? (isSuccess ? 'rejected' : meaningOfStatus(table, status))
  const words = wordsOf(table, refusal)
  const known = words === '' ? `${title} answered ${status}${code === '' ? '' : ` (${code})`}` : words
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
