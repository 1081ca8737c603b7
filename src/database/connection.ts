import knex, { type Knex } from 'knex'
import { Unavailable } from '../errors.js'

export type Database = Knex

interface DatabaseSettings {
  url: string
  poolSize: number
  applicationName: string
  statementTimeoutMs?: number
}

export function databaseOptions(settings: DatabaseSettings): Knex.Config {
  const statementTimeoutMs = settings.statementTimeoutMs ?? 2000
  return {
    client: 'pg',
    connection: {
      connectionString: settings.url,
      application_name: `linehook ${settings.applicationName}`,
      connectionTimeoutMillis: 1000,
      statement_timeout: statementTimeoutMs,
      // A server that hangs cannot time its statement out itself.
      query_timeout: statementTimeoutMs + 500,
      keepAlive: true,
    },
    pool: { min: 0, max: settings.poolSize },
    // Also how long a request waits for one of the pool's connections before it is told 503.
    acquireConnectionTimeout: 1000,
    // Callers get what it would print beside our log lines.
    log: { warn: () => undefined, error: () => undefined },
  }
}

export function connectDatabase(settings: DatabaseSettings): Database {
  const options = databaseOptions(settings)
  const openedAt = new WeakMap<object, number>()
  let distrustedAt = 0
  const db = knex({
    ...options,
    pool: {
      ...options.pool,
      afterCreate: (connection: object, done: (error?: Error) => void) => {
        openedAt.set(connection, performance.now())
        done()
      },
      validate: (connection: object) => (openedAt.get(connection) ?? 0) > distrustedAt,
    },
  })
  // After a failover the old server may still answer, read-only: no connection from before is worth asking again.
  db.on('query-error', (error: unknown) => {
    if (error instanceof Error && SERVER_IS_ANOTHER.test(codeOf(error))) distrustedAt = performance.now()
  })
  return db
}

/** 25006 read-only transaction, 57P0x the server shuts down or is starting. */
const SERVER_IS_ANOTHER = /^(25006|57P0.)$/

/**
 * Runs a transaction, once more if its connection was lost or its server became read-only (after a failover the
 * pool still holds connections to the old server), or if it was the one to give way in a deadlock. Only for work
 * that a second run does not repeat in the outside world.
 *
 * @throws Unavailable when Postgres cannot be reached the second time either
 */
export async function transaction<T>(db: Database, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  try {
    return await db.transaction(work)
  } catch (error) {
    if (!isLostConnection(error) && !(error instanceof Error && GAVE_WAY.test(codeOf(error)))) throw error
  }
  return available(() => db.transaction(work))
}

/** Runs a query and calls an unreachable Postgres by its name. @throws Unavailable */
export async function available<T>(query: () => Promise<T>): Promise<T> {
  try {
    return await query()
  } catch (error) {
    if (!isDatabaseUnavailable(error)) throw error
    throw new Unavailable('Postgres is not available', 5, { cause: error })
  }
}

export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    isLostConnection(error) ||
    error.name === 'KnexTimeoutError' ||
    CANNOT_SERVE.test(codeOf(error)) ||
    GAVE_WAY.test(codeOf(error)) ||
    error.message === 'Query read timeout'
  )
}

/** Codes by https://www.postgresql.org/docs/current/errcodes-appendix.html: 25006 read-only, 57P0x shut down, 08 connection. */
function isLostConnection(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (
    /^(25006|57P0.|08...|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH)$/.test(codeOf(error)) ||
    LOST.test(error.message)
  )
}

const LOST =
  /Connection terminated|Connection ended|timeout expired|Unable to acquire a connection|Client has encountered a connection error/
/** 53xxx out of resources, 57014 statement time-out. */
const CANNOT_SERVE = /^(53...|57014)$/
/** 40P01 deadlock, 40001 serialization failure: nothing was done, and a second run finds the way free. */
const GAVE_WAY = /^(40P01|40001)$/

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') return code
  // Happy-eyeballs: Node reports one error with the errors of each address in it.
  return error instanceof AggregateError && error.errors[0] instanceof Error ? codeOf(error.errors[0]) : ''
}
