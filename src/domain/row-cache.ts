/** Some 400 bytes each. */
const MAX_KNOWN = 10_000

/** Rows that this process has looked up: of incoming webhooks, and of carrier accounts that call back. */
export interface RowCache<Row> {
  /**
   * The row as it once was. It may be old, so nothing is accepted or refused by it alone: the statement that accepts
   * compares what it was let in by with what is there now (`webhook_changed`, `account_changed`), and who would refuse
   * looks it up.
   */
  remembered(id: string): Row | undefined
  /** The row as it is. undefined: there is none that is open. @throws Unavailable */
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
      // The one that was looked up first, so that what goes out of use does not stay for ever.
      const [oldest] = known.size < maxKnown ? [] : known.keys()
      if (oldest !== undefined) known.delete(oldest)
      known.set(id, row)
      return row
    },
  }
}
