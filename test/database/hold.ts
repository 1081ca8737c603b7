import type { Knex } from 'knex'
import type { Database } from '../../src/database/connection.js'

/**
 * A transaction for a test that holds something until others wait for it. Postgres ends every other one that is idle
 * for 5 s, which on a busy machine is no time.
 */
export async function openHolder(db: Database): Promise<Knex.Transaction> {
  const holder = await db.transaction()
  await holder.raw('set local idle_in_transaction_session_timeout = 0')
  return holder
}
