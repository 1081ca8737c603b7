import knex, { type Knex } from 'knex'
import type { PoolUse } from '../telemetry/metrics.js'
import { DatabaseUnavailable } from './outage.js'
import { postgresClient, type ObservedClient } from './pool-client.js'

export type Database = Knex

interface DatabaseSettings {
  url: string
  poolSize: number
  applicationName: string
  /** After this time Postgres itself ends the statement. */
  statementTimeoutMs?: number
  /** How long a caller waits for one of the pool's connections before it gets a 503. */
  acquireTimeoutMs?: number
  /** How long opening a connection may take. */
  openingMs?: number
  /**
   * Must be false behind a pooler that gives each transaction another server connection and does not support prepared
   * statements.
   */
  namesStatements?: boolean
}

/** This is long enough for a busy machine. A dead connection is detected by other means (`hang-detector.ts`). */
const STATEMENT_MS = 10_000

/** A server that responds at all reports its own statement time-out within this long after it. */
const ANSWER_MARGIN_MS = 500

/** A busy machine needs seconds to open a connection. One that is discarded half open was wasted. */
const OPENING_MS = 10_000
/** These stay open even when they are not needed. */
const KEPT_WARM = 3

/** This is longer than a transaction ever waits for anything besides Postgres. */
const IDLE_IN_TRANSACTION_MS = 5000

export function databaseOptions(settings: DatabaseSettings): Knex.Config {
  const { statementTimeoutMs = STATEMENT_MS, acquireTimeoutMs = 5000, openingMs = OPENING_MS } = settings
  return {
    client: 'pg',
    connection: {
      connectionString: settings.url,
      application_name: applicationNameOf(settings),
      connectionTimeoutMillis: openingMs,
      statement_timeout: statementTimeoutMs,
      // A second guard besides `pool-client.ts`: a process that hangs keeps no rows locked.
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
      keepAlive: true,
    },
    pool: { min: Math.min(KEPT_WARM, settings.poolSize), max: settings.poolSize },
    // Otherwise knex asks for it on the first connection. Nothing that we use depends on it.
    version: '14',
    acquireConnectionTimeout: acquireTimeoutMs,
    // Bindings are people's numbers and texts, so they must not get into error messages.
    compileSqlOnError: false,
    // Callers get these as errors; otherwise knex would print them between our log lines.
    log: { warn: () => undefined, error: () => undefined },
  }
}

/** Every statement throws `DatabaseUnavailable` if Postgres cannot serve it. */
export function connectDatabase(settings: DatabaseSettings): Database {
  const { namesStatements = true, openingMs = OPENING_MS, statementTimeoutMs = STATEMENT_MS } = settings
  const client = postgresClient({
    applicationName: applicationNameOf(settings),
    // A server that hangs cannot enforce the time-out itself.
    limitMs: statementTimeoutMs + ANSWER_MARGIN_MS,
    openingMs,
    namesStatements,
  })
  return knex({ ...databaseOptions(settings), client })
}

function applicationNameOf({ applicationName }: DatabaseSettings): string {
  return `linehook ${applicationName}`
}

/** The interval at which a waiting caller checks whether Postgres still responds. */
const CHECK_EVERY_MS = 250

/**
 * Waits for work that may be abandoned halfway, because it only reads.
 *
 * @throws DatabaseUnavailable as soon as Postgres hangs, that is, nothing has come from it for a moment although an
 *   answer is due. The work itself would notice only when its statement times out.
 */
export async function unlessSilent<T>({ client }: Database, work: PromiseLike<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const silence = new Promise<never>((_, reject) => {
    timer = setInterval(() => {
      if ((client as ObservedClient).isSilent())
        reject(new DatabaseUnavailable('busy', new Error('Postgres is not responding')))
    }, CHECK_EVERY_MS)
  })
  try {
    return await Promise.race([work, silence])
  } finally {
    clearInterval(timer)
  }
}

export function poolUse({ client }: Database): PoolUse {
  const { pool } = client as { pool?: TarnPool }
  return {
    used: pool?.numUsed() ?? 0,
    free: pool?.numFree() ?? 0,
    max: pool?.max ?? 0,
    waiting: pool?.numPendingAcquires() ?? 0,
  }
}

/** knex's pool; there is none after it was closed. */
interface TarnPool {
  max: number
  numUsed(): number
  numFree(): number
  numPendingAcquires(): number
}

/**
 * Runs a transaction, and runs it once more if its connection was lost, if its server became read-only (after a
 * failover the pool still holds connections to the old server), or if it lost a deadlock. It does not run again if the
 * connection was lost at the commit, because it may have been committed. Use it only for work that has no effect
 * outside of Postgres.
 *
 * @throws DatabaseUnavailable if Postgres cannot be reached the second time either
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

/**
 * Runs one statement that is harmless if it runs twice, as `transaction` does, but repeats it even if it may have been
 * committed.
 */
export async function repeatable<T>(query: () => Promise<T>): Promise<T> {
  return twice(query, () => true)
}

/** Runs one statement, and runs it once more if it lost a deadlock, because nothing of it was done then. */
export async function givingWay<T>(query: () => Promise<T>): Promise<T> {
  return twice(query, () => false)
}

/** Runs statements that Postgres ends after `ms` each, because a search through many rows may take too long. */
export async function within<T>(db: Database, ms: number, work: (trx: Database) => Promise<T>): Promise<T> {
  return db.transaction(async (trx) => {
    await trx.raw(`select set_config('statement_timeout', ?, true)`, [String(ms)])
    return work(trx)
  })
}

async function twice<T>(run: () => Promise<T>, mayBeDoneTwice: () => boolean): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error
    const hadNoWay = error.outage === 'gave_way'
    if (!hadNoWay && !(mayBeDoneTwice() && (await isDead(error)))) throw error
  }
  return run()
}

/** True if the connection is gone and others may work. With a server that hangs, it would only make us ask twice. */
async function isDead(error: DatabaseUnavailable): Promise<boolean> {
  return error.outage === 'lost' || (error.outage === 'silent' && (await error.isOver()))
}
