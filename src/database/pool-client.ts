import type { Socket } from 'node:net'
import PostgresClient from 'knex/lib/dialects/postgres/index.js'
import { DatabaseUnavailable, isOfAnotherServer, outageOf } from './outage.js'

/** How long a connection has to say goodbye before its socket is closed. */
const FAREWELL_MS = 500

/**
 * knex's client and pool for Postgres, with the two rules that they lack:
 *
 * - Every outage has one name, `DatabaseUnavailable`, from here on.
 * - A connection on which a statement was not answered in time is closed, at once and for good. pg would only stop
 *   waiting: the statement, or an open transaction, would stay in the connection, and whoever got it next from the pool
 *   would run inside that transaction (measured: texts that were answered 200 had no row).
 *
 * Idle connections that have received nothing since that statement was sent are replaced before they are used: a load
 * balancer or NAT that lost one has lost the others too. So are all connections from before a failover, because the old
 * server may still answer, read-only. Connections that are in use are left alone.
 */
export function postgresClient({ namesStatements = true } = {}): typeof PostgresClient {
  const heardAt = new WeakMap<object, number>()
  /** Closed here. What is still asked of them, such as the rollback of their transaction, fails by the same name. */
  const silent = new WeakSet<object>()
  let distrustedAt = -1

  return class PoolClient extends PostgresClient {
    override async acquireConnection(): Promise<object> {
      try {
        return await super.acquireConnection()
      } catch (error) {
        throw named(error)
      }
    }

    /** @throws DatabaseUnavailable */
    override async query(connection: object, statement: unknown): Promise<unknown> {
      const sentAt = performance.now()
      try {
        const answer = await super.query(connection, statement)
        heardAt.set(connection, performance.now())
        return answer
      } catch (error) {
        if (silent.has(connection)) throw new DatabaseUnavailable('silent', error)
        if (outageOf(error) === 'silent') {
          silent.add(connection)
          streamOf(connection).destroy()
          distrust(sentAt)
        } else {
          heardAt.set(connection, performance.now())
        }
        if (isOfAnotherServer(error)) distrust(performance.now())
        throw named(error)
      }
    }

    /** Statements that have a name are prepared by pg; without it they are as all others. */
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

    /** Asked by the pool before it gives a connection out. */
    override validateConnection(connection: object): Promise<boolean> {
      // One that was never asked has just been opened.
      return Promise.resolve((heardAt.get(connection) ?? Infinity) > distrustedAt)
    }
  }

  function distrust(at: number): void {
    distrustedAt = Math.max(distrustedAt, at)
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
