/** Bounds the memory: a row takes some 400 bytes, so all take 4 MB. */
const MAX_KNOWN = 10_000

/**
 * How often a request is judged, if the row that it is judged by turns out to be changed meanwhile: once, and twice more.
 * Rows change seldom, so a third change is not worth a longer wait of the caller.
 */
export const MAX_JUDGEMENTS = 3

/** Rows that this process has looked up: of incoming webhooks, and of carrier accounts that call back. */
export interface RowCache<Row> {
  /**
   * The row as it once was. It may be out of date, so it alone decides nothing: the statement that accepts checks whether
   * it has changed (`webhook_changed`, `account_changed`), and before a refusal the row is looked up.
   */
  remembered(id: string): Row | undefined
  /** The row as it is now. undefined: there is none, or it is not open. @throws Unavailable */
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
      // Forgets the row that was looked up first, so that rows nobody uses any more do not stay for ever.
      const [oldest] = known.size < maxKnown ? [] : known.keys()
      if (oldest !== undefined) known.delete(oldest)
      known.set(id, row)
      return row
    },
  }
}
