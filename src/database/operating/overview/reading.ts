import type { Database } from '../../connection.js'

/** Less than the overview waits for one of its parts, so that a slow statement ends by itself. */
const STATEMENT_MS = 1800

/**
 * Statements of the overview run in here: each may take so long and no longer, they only read, and they go by indexes.
 * (The planner of a table that has just filled would read all of it.)
 */
export async function reading<T>(db: Database, work: (trx: Database) => Promise<T>): Promise<T> {
  return db.transaction(async (trx) => {
    await trx.raw(
      `select set_config('transaction_read_only', 'on', true), set_config('statement_timeout', '${STATEMENT_MS}', true),
         set_config('enable_seqscan', 'off', true)`,
    )
    return work(trx)
  })
}

/** The row of a statement that always gives one. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('the statement gave no row')
  return row
}
