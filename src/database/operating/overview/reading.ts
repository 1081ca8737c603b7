import type { Database } from '../../connection.js'

/** This is less than the overview waits for one of its parts, so that a slow statement ends by itself. */
const STATEMENT_MS = 1800

/**
 * Runs statements of the overview: each has this time limit, only reads, and uses indexes. (The planner of a table
 * that has just filled would read all of it.)
 */
export async function readOnly<T>(db: Database, work: (trx: Database) => Promise<T>): Promise<T> {
  return db.transaction(async (trx) => {
    await trx.raw(
      `select set_config('transaction_read_only', 'on', true), set_config('statement_timeout', '${STATEMENT_MS}', true),
         set_config('enable_seqscan', 'off', true)`,
    )
    return work(trx)
  })
}

/** Returns the row of a statement that always has one. */
export function only<Row>(rows: readonly Row[]): Row {
  const [row] = rows
  if (row === undefined) throw new Error('the statement gave no row')
  return row
}
