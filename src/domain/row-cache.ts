/** This bounds the memory: a row takes about 400 bytes, so all take 4 MB. */
const MAX_KNOWN = 10_000

/**
 * The number of times that a request is judged if the row it depends on turns out to have changed meanwhile: once,
 * and twice more. Rows change seldom, so a third change is not worth a longer wait of the caller.
 */
export const MAX_JUDGEMENTS = 3

/** Rows that this process has looked up: of incoming webhooks, and of carrier accounts that call back. */
export interface RowCache<Row> {
  /**
   * Returns a row as it was earlier. It may be out of date, so it alone decides nothing: the statement that accepts
   * checks if it has changed (`webhook_changed`, `account_changed`), and before a refusal the row is looked up.
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
