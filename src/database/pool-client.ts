import type { Socket } from 'node:net'
import type { Knex } from 'knex'
import PostgresClient from 'knex/lib/dialects/postgres/index.js'
import {
  CannotConnect,
  DatabaseUnavailable,
  isOfAnotherServer,
  OPENING_TIMED_OUT,
  outageOf,
} from './outage.js'
import { createHangDetector, Unanswered, type WatchedConnection } from './hang-detector.js'
import { createBackendMonitor, type RawClient } from './backend-monitor.js'
import { createConnectionTrust } from './connection-trust.js'

/** How long a connection has to say goodbye before its socket is closed. */
const FAREWELL_MS = 500
/** How long a connection has to leave a transaction in which it was abandoned. */
const ROLLBACK_MS = 5000

export interface ObservedClient extends PostgresClient {
  /** True if nothing has come from Postgres for a moment, although an answer is due. */
  isSilent(): boolean
}

interface PoolSettings {
  applicationName: string
  /**
   * After this long without any answer, the statement's caller gets an error that says that the outcome is unknown.
   */
  limitMs: number
  /** The longest that opening a connection may take, until it can be lent. */
  openingMs: number
  /**
   * Must be false behind a pooler that gives each transaction another server connection and does not support prepared
   * statements.
   */
  namesStatements: boolean
}

/**
 * knex's client and pool for Postgres, with the rules that they lack:
 *
 * - Every outage has one name, `DatabaseUnavailable`, from here on.
 * - A statement that is not answered is watched (`hang-detector.ts`): a slow one is waited for, and a dead connection is
 *   closed.
 * - A connection that owes an answer is not lent until it has come, and then only outside of a transaction. pg would
 *   only stop waiting: the next caller that got the connection from the pool would run inside that transaction
 *   (measured: texts that were answered 200 had no row).
 * - While Postgres is not responding no other caller has to wait.
 * - If a connection cannot be opened while others are open, callers wait for one of those: after a change of the
 *   password, a pool works on with the connections that it has. knex would fail a caller with each.
 * - Idle connections that may be dead, or of an old server, are replaced before they are used (`connection-trust.ts`).
 */
export function postgresClient({
  applicationName,
  limitMs,
  openingMs,
  namesStatements,
}: PoolSettings): typeof PostgresClient {
  const watched = new WeakMap<object, WatchedConnection>()
  const trust = createConnectionTrust()
  const openings = createOpenings(openingMs)

  // This is not a field of the class, because knex has another object of it in each transaction.
  let pool: PostgresClient | undefined
  let lastFailure: { error: Error; at: number } | undefined
  const detector = createHangDetector(
    createBackendMonitor(() => {
      if (pool === undefined) throw new Error('there is no pool yet')
      return new pool.driver.Client({
        ...pool.connectionSettings,
        application_name: `${applicationName} monitor`,
      })
    }, applicationName),
    limitMs,
  )

  return class PoolClient extends PostgresClient {
    constructor(config: Knex.Config) {
      super(config)
      // oxlint-disable-next-line typescript/no-this-alias -- its settings are the monitor's
      pool = this
      const lending = this.pool as unknown as TarnPool
      lending.on('createFail', (_, error) => {
        lastFailure = { error, at: performance.now() }
        if (lending.numUsed() + lending.numFree() === 0) lending.pendingAcquires[0]?.reject(error)
      })
    }

    /** The callers of a pool without any connection are told by the constructor's listener, as knex would do. */
    override poolDefaults(): ReturnType<PostgresClient['poolDefaults']> {
      return { ...super.poolDefaults(), propagateCreateError: false }
    }

    isSilent(): boolean {
      return detector.isSilent()
    }

    override async acquireConnection(): Promise<object> {
      if (this.isSilent()) throw new DatabaseUnavailable('busy', new Error('Postgres is not responding'))
      const askedAt = performance.now()
      try {
        return await super.acquireConnection()
      } catch (error) {
        // Callers that waited in vain, because no more connections could be opened, get the reason.
        throw lastFailure !== undefined && lastFailure.at >= askedAt ? lastFailure.error : named(error)
      }
    }

    /** @throws CannotConnect */
    override async acquireRawConnection(): Promise<object> {
      try {
        // It reads the files that DATABASE_URL names, such as `sslrootcert`.
        const connection: KnexClient = new this.driver.Client(this.connectionSettings)
        const dispose = (error?: Error) => {
          connection.__knex__disposed = error ?? 'the connection has ended'
        }
        connection.on('error', dispose)
        connection.on('end', dispose)
        await openings.during(connection, async () => {
          await connection.connect()
          watched.set(connection, await watch(connection))
        })
        return connection
      } catch (error) {
        throw new CannotConnect(error)
      }
    }

    /** @throws DatabaseUnavailable */
    override async query(connection: object, statement: unknown): Promise<unknown> {
      const one = watched.get(connection)
      if (one === undefined) throw new Error('a connection that this pool has not opened')
      if (trust.isDead(connection) || detector.pending(one) !== undefined) {
        throw new DatabaseUnavailable('silent', new Error('the connection owes an answer'))
      }
      const sentAt = performance.now()
      try {
        const answer = await detector.over(one, super.query(connection, statement))
        trust.noteAnswer(connection)
        return answer
      } catch (error) {
        if (error instanceof Unanswered) {
          if (detector.pending(one) === undefined) trust.noteDead(connection, sentAt)
          throw new DatabaseUnavailable('silent', error, error.isOver)
        }
        trust.noteAnswer(connection)
        if (isOfAnotherServer(error)) trust.noteOtherServer(connection)
        const outage = outageOf(error)
        if (outage !== 'lost') throw named(error)
        throw new DatabaseUnavailable(outage, error, () => detector.end(one))
      }
    }

    /** Keeps a connection that owes an answer among the pool's lent ones until it has come. */
    override async releaseConnection(connection: object): Promise<void> {
      const one = watched.get(connection)
      const pending = one && detector.pending(one)
      if (pending === undefined) return super.releaseConnection(connection)
      void pending
        .then(
          () => leaveTransaction(connection),
          () => undefined,
        )
        .finally(() => void super.releaseConnection(connection))
    }

    /** pg prepares statements that have a name; without it they run like all others. */
    override _query(connection: object, statement: { options?: { name?: string } }): Promise<unknown> {
      if (!namesStatements) delete statement.options?.name
      return super._query(connection, statement)
    }

    override async destroyRawConnection(connection: object): Promise<void> {
      const stream = streamOf(connection)
      const timer = setTimeout(() => {
        stream.destroy()
      }, FAREWELL_MS)
      stream.once('close', () => {
        clearTimeout(timer)
      })
      await super.destroyRawConnection(connection)
    }

    /** The pool calls it before it gives a connection out. */
    override validateConnection(connection: object): Promise<boolean> {
      return Promise.resolve(trust.mayBeLent(connection))
    }

    override async destroy(callback?: () => void): Promise<void> {
      detector.close()
      openings.close()
      await super.destroy(callback)
    }
  }
}

/** The connections that are being opened. knex keeps one to itself until it is open, and so out of reach of every time-out. */
function createOpenings(limitMs: number) {
  const opening = new Set<object>()
  return {
    /** Waits until the connection is open. If that fails or takes too long, its socket is closed. */
    during: async (connection: object, open: () => Promise<void>): Promise<void> => {
      const late = new AbortController()
      const timer = setTimeout(() => {
        late.abort()
        streamOf(connection).destroy()
      }, limitMs)
      opening.add(connection)
      try {
        await open()
      } catch (error) {
        streamOf(connection).destroy()
        throw late.signal.aborted ? new Error(OPENING_TIMED_OUT, { cause: error }) : error
      } finally {
        clearTimeout(timer)
        opening.delete(connection)
      }
    },
    close: () => {
      for (const connection of opening) streamOf(connection).destroy()
    },
  }
}

/** The part of the pool that is needed here. */
interface TarnPool {
  on(event: 'createFail', listener: (eventId: number, error: Error) => void): void
  numUsed(): number
  numFree(): number
  /** The callers that wait for a connection, the first one first. */
  pendingAcquires: { reject(error: Error): void }[]
}

interface KnexClient extends RawClient {
  /** If set, knex's pool no longer lends it. */
  __knex__disposed?: Error | string
}

/**
 * Behind a pooler the process id that a connection gets is not one of Postgres's, or another connection's by the next
 * transaction.
 *
 * Nothing is compiled (`jit`): our statements take milliseconds, and where `enable_seqscan` is off, Postgres up to 17
 * considers a plan expensive that reads a table of one row (measured with 15: `due_work` 0.9 ms, and 283 ms with
 * jit). And a connection stays open while it is idle: if Postgres ended it, the end would meet the next statement, which
 * would fail as `lost`. These are not settings of the connection's start, which a pooler might refuse.
 */
async function watch(connection: object): Promise<WatchedConnection> {
  const client = connection as RawClient & { processID: number }
  const { rows } = await client.query(
    `select pg_backend_pid() as pid, set_config('jit', 'off', false), set_config('idle_session_timeout', '0', false)`,
    [],
  )
  const [row] = rows as { pid: number }[]
  return {
    pid: row?.pid === client.processID ? client.processID : undefined,
    bytesRead: () => streamOf(connection).bytesRead,
    destroy: () => streamOf(connection).destroy(),
  }
}

async function leaveTransaction(connection: object): Promise<void> {
  const stream = streamOf(connection)
  const timer = setTimeout(() => {
    stream.destroy()
  }, ROLLBACK_MS)
  try {
    await (connection as RawClient).query('rollback', [])
  } catch {
    stream.destroy()
  } finally {
    clearTimeout(timer)
  }
}

function named(error: unknown): unknown {
  const outage = outageOf(error)
  return outage === undefined ? error : new DatabaseUnavailable(outage, error)
}

/** The socket of a pg client. */
function streamOf(connection: object): Socket {
  return (connection as { connection: { stream: Socket } }).connection.stream
}
