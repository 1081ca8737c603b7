import { Unavailable } from '../errors.js'

/** This bounds the memory: a row takes about 400 bytes, so together they take 4 MB. */
const MAX_KNOWN = 10_000

/**
 * How often a request is judged if the row that it depends on turns out to have changed: once, and twice more. Rows
 * rarely change, so a third change is not worth making the caller wait longer.
 */
const MAX_JUDGEMENTS = 3

/** Rows that this process has looked up: of incoming webhooks, and of carrier accounts that call back. */
export interface RowCache<Row> {
  /**
   * Returns a row as it was earlier. It may be out of date, so it alone decides nothing: the accepting statement checks
   * whether it has changed (`webhook_changed`, `account_changed`), and before a refusal the row is looked up.
   */
  remembered(id: string): Row | undefined
  /**
   * Returns the current row; undefined if there is none, or it is not open.
   *
   * @throws Unavailable
   */
  lookUp(id: string): Promise<Row | undefined>
}

export function createRowCache<Row>(
  find: (id: string) => Promise<Row | undefined>,
  maxKnown = MAX_KNOWN,
): RowCache<Row> {
  const known = new Map<string, Row>()
  return {
    remembered: (id) => known.get(id),
    lookUp: async (id) => {
      const row = await find(id)
      known.delete(id)
      if (row === undefined) return undefined
      // Forgets the row that was looked up first, so that unused rows do not stay forever.
      const [oldest] = known.size < maxKnown ? [] : known.keys()
      if (oldest !== undefined) known.delete(oldest)
      known.set(id, row)
      return row
    },
  }
}

/** The row that opens something for a request: its webhook, or the account that signed it. */
export interface OpenedRow<Row> {
  row: Row
  /** True if the row was remembered: it may have been closed or changed since. */
  mayBeOld: boolean
  /**
   * Looks the row up and judges it again.
   *
   * @throws UserError what `lookUp` throws if the row opens nothing now
   */
  refresh(): Promise<Row>
}

/**
 * Takes the remembered row if it opens what the request wants, which saves the look-up, and the current row otherwise.
 *
 * @param lookUp returns the current row if it opens it, and throws a UserError if it does not
 */
export async function openRow<Row>(
  remembered: Row | undefined,
  opens: (row: Row) => boolean,
  lookUp: () => Promise<Row>,
): Promise<OpenedRow<Row>> {
  const known = remembered !== undefined && opens(remembered) ? remembered : undefined
  const opened: OpenedRow<Row> = {
    row: known ?? (await lookUp()),
    mayBeOld: known !== undefined,
    refresh: async () => {
      opened.row = await lookUp()
      opened.mayBeOld = false
      return opened.row
    },
  }
  return opened
}

/**
 * Answers a request with the opened row, and with the current one if it turns out to have changed.
 *
 * @param answer returns undefined if the row has changed
 * @param subject begins the sentence for the caller, such as `The webhook`
 * @throws UserError if the row opens nothing now; Unavailable if it changes again and again
 */
export async function answerByRow<Row, Answer extends object>(
  opened: OpenedRow<Row>,
  subject: string,
  answer: () => Promise<Answer | undefined>,
): Promise<Answer> {
  for (let judgements = 1; judgements <= MAX_JUDGEMENTS; judgements += 1) {
    const answered = await answer()
    if (answered !== undefined) return answered
    await opened.refresh()
  }
  throw new Unavailable(`${subject} is being changed`, 1)
}
