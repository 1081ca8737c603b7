import { setTimeout as sleep } from 'node:timers/promises'

/** The part of a pg client that is needed here. */
export interface RawClient {
  connect(): Promise<unknown>
  query(sql: string, values: readonly unknown[]): Promise<{ rows: unknown[] }>
  end(): Promise<void>
  on(event: 'error' | 'end', listener: (error?: Error) => void): unknown
  connection: { stream: { destroy(): void } }
}

/** Reports what the server says about the connections of a pool. */
export interface BackendMonitor {
  /**
   * Returns the state of these backends by `pg_stat_activity`, by process id; one that is missing is gone.
   *
   * @throws if there is no answer
   */
  statesOf(pids: readonly number[]): Promise<Map<number, string>>
  /**
   * Ends a backend.
   *
   * @returns true if it is gone, so that its statement can have no more effect
   */
  end(pid: number): Promise<boolean>
  close(): void
}

/** A connected monitor that is silent for this long is no better than the connections that it is asked about. */
const ANSWER_MS = 2000
/** The time that a backend has to end. */
const END_MS = 2000
/** It is needed only briefly; an idle process keeps no connection for it. */
const IDLE_MS = 10_000

/**
 * A connection outside the pool, made when it is first needed. Opening it has no time limit: on a machine without a
 * free processor that is seconds, and discarding one half open costs as much as using it.
 *
 * @param create makes a client that is not connected yet
 */
export function createBackendMonitor(create: () => RawClient, applicationName: string): BackendMonitor {
  interface Connection {
    client: RawClient
    connected: Promise<unknown>
    /** Fulfilled when the last query has ended. */
    isFree: Promise<unknown>
  }
  let current: Connection | undefined
  let underWayCount = 0
  let idle: NodeJS.Timeout | undefined

  function open(): Connection {
    const client = create()
    client.on('error', () => {
      if (current?.client === client) current = undefined
    })
    const connected = client.connect()
    return { client, connected, isFree: connected }
  }

  function drop(): void {
    clearTimeout(idle)
    current?.connected.catch(() => undefined)
    current?.client.connection.stream.destroy()
    current = undefined
  }

  async function ask<Row>(sql: string, values: readonly unknown[]): Promise<Row[]> {
    clearTimeout(idle)
    underWayCount += 1
    const asked = (current ??= open())
    // pg runs one query at a time, and its own queue of them is deprecated.
    const answer = asked.isFree.then(() => asked.client.query(sql, values))
    asked.isFree = answer.catch(() => undefined)
    try {
      await asked.connected
      const late = sleep(ANSWER_MS, undefined, { ref: false }).then(() => {
        throw new Error('the connection of the monitor gave no answer')
      })
      return (await Promise.race([answer, late])).rows as Row[]
    } catch (error) {
      if (current === asked) drop()
      throw error
    } finally {
      underWayCount -= 1
      if (underWayCount === 0) idle = setTimeout(drop, IDLE_MS).unref()
    }
  }

  async function endBackend(pid: number): Promise<boolean> {
    // The process id may belong to another backend by now.
    await ask(
      `select pg_terminate_backend(pid, $3) from pg_stat_activity
       where pid = $1 and application_name = $2 and usename = current_user`,
      [pid, applicationName, END_MS - 500],
    )
    const rows = await ask('select from pg_stat_activity where pid = $1 and application_name = $2', [
      pid,
      applicationName,
    ])
    return rows.length === 0
  }

  return {
    statesOf: async (pids) => {
      const rows = await ask<{ pid: number; state: string | null }>(
        'select pid, state from pg_stat_activity where pid = any($1::integer[])',
        [pids],
      )
      return new Map(rows.map(({ pid, state }) => [pid, state ?? 'unknown']))
    },

    // The monitor's own connection may be as dead as that of the backend: then a new one is used.
    end: async (pid) => {
      try {
        return await endBackend(pid).catch(() => endBackend(pid))
      } catch {
        // There is no answer, so the state is unknown.
        return false
      }
    },

    close: drop,
  }
}
