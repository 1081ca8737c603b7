import knex, { type Knex } from 'knex'
import type { PoolUse } from '../telemetry/metrics.js'
import { DatabaseUnavailable } from './outage.js'
import { postgresClient } from './pool-client.js'

export type Database = Knex

interface DatabaseSettings {
  url: string
  poolSize: number
  applicationName: string
  statementTimeoutMs?: number
  /** How long it takes at most to get one of the pool's connections, and so until somebody is told 503. */
  acquireTimeoutMs?: number
  /** Not through a pooler that gives each transaction another server connection and knows no prepared statements. */
  namesStatements?: boolean
}

/** A server that answers at all has reported its own statement time-out by so long after it. */
const ANSWER_MARGIN_MS = 150

/** Longer than a transaction ever waits for anything besides Postgres. */
const IDLE_IN_TRANSACTION_MS = 5000

export function databaseOptions(settings: DatabaseSettings): Knex.Config {
  const { statementTimeoutMs = 2000, acquireTimeoutMs = 900 } = settings
  return {
    client: 'pg',
    connection: {
      connectionString: settings.url,
      application_name: `linehook ${settings.applicationName}`,
      connectionTimeoutMillis: acquireTimeoutMs,
      statement_timeout: statementTimeoutMs,
      // A server that hangs cannot time its statement out itself.
      query_timeout: statementTimeoutMs + ANSWER_MARGIN_MS,
      // The net below what `pool-client.ts` does: nobody's rows stay locked by a process that hangs.
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      keepAlive: true,
    },
    pool: { min: 0, max: settings.poolSize },
    acquireConnectionTimeout: acquireTimeoutMs,
    // Bindings are people's numbers and texts, so they must not get into error messages.
    compileSqlOnError: false,
    // Callers get these as errors; knex would print them between our log lines.
    log: { warn: () => undefined, error: () => undefined },
  }
}

/** Every statement throws `DatabaseUnavailable` when Postgres cannot serve it. */
export function connectDatabase(settings: DatabaseSettings): Database {
  const { namesStatements = true } = settings
  return knex({ ...databaseOptions(settings), client: postgresClient({ namesStatements }) })
}

export function poolUse({ client }: Database): PoolUse {
  const { pool } = client as { pool?: TarnPool }
  return {
    used: pool?.numUsed() ?? 0,
    free: pool?.numFree() ?? 0,
    waiting: pool?.numPendingAcquires() ?? 0,
  }
}

/** knex's pool; there is none when it was closed. */
interface TarnPool {
  numUsed(): number
  numFree(): number
  numPendingAcquires(): number
}

/**
 * Runs a transaction, and runs it once more if its connection was lost, if its server became read-only (after a failover
 * the pool still holds connections to the old server), or if it had to give way in a deadlock. It does not run again if
 * the connection was lost at the commit, because it may be committed. Only for work that has no effect outside of
 * Postgres.
 *
 * @throws DatabaseUnavailable when Postgres cannot be reached the second time either
 */
export async function transaction<T>(db: Database, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  let isEnding = false
  const run = () =>
    db.transaction(async (trx) => {
      const result = await work(trx)
      isEnding = true
      return result
    })
  return twice(run, () => !isEnding)
}

/** As `transaction`, for one statement that does no harm when it runs twice: it runs again even if it may be committed. */
export async function repeatable<T>(query: () => Promise<T>): Promise<T> {
  return twice(query, () => true)
}

async function twice<T>(run: () => Promise<T>, mayBeDoneTwice: () => boolean): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const mayRunAgain =
      error instanceof DatabaseUnavailable &&
      (error.outage === 'gave_way' || (error.outage === 'lost' && mayBeDoneTwice()))
    if (!mayRunAgain) throw error
  }
  return run()
}
