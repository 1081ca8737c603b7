import type { BackendMonitor } from './backend-monitor.js'

const now = () => performance.now()

/** A connection of the pool, with what watching it needs. */
export interface WatchedConnection {
  /** The process id of its backend; undefined behind a pooler, where it is unknown. */
  pid: number | undefined
  /** The number of bytes received on it so far. */
  bytesRead(): number
  /** Closes its socket immediately. */
  destroy(): void
}

/** Thrown if a statement was not answered in time. */
export class Unanswered extends Error {
  override name = 'Unanswered'

  /** @param isOver true if the statement can have no more effect: its backend was ended, or is gone */
  constructor(readonly isOver: Promise<boolean>) {
    super('Postgres did not respond')
  }
}

export interface HangDetector {
  /**
   * Waits for the answer to a statement.
   *
   * @throws Unanswered, and any error of `answer`
   */
  over<T>(connection: WatchedConnection, answer: Promise<T>): Promise<T>
  /** The last statement on a connection, if its caller has moved on and it has not been answered yet. */
  pending(connection: WatchedConnection): Promise<unknown> | undefined
  /**
   * Ends a connection's statement, if it still runs.
   *
   * @returns true if it can have no more effect
   */
  end(connection: WatchedConnection): Promise<boolean>
  /** True if nothing has come from Postgres for a moment, although an answer is due. */
  isSilent(): boolean
  close(): void
}

interface Statement {
  connection: WatchedConnection
  sentAt: number
  answer: Promise<unknown>
  fail: (error: Unanswered) => void
  hasGivenUp: boolean
  /** The time when its backend was first seen idle, and the bytes received by then. */
  idle: { since: number; bytesRead: number } | undefined
}

/** A statement that takes this long is watched. Nearly all are answered within some milliseconds. */
const SUSPECT_MS = 600
const TICK_MS = 100
/** A backend reports that it is idle a moment before it sends its answer, and a busy machine makes that longer. */
const IDLE_MS = 300
/** Postgres is considered hung after this long without a byte, and other callers no longer have to wait. */
const SILENT_MS = 1500

/** A tick that comes this late says more about this process than about Postgres. */
const AWAY_MS = 1000

/** A backend in any other state works: it is `active`, or Postgres does not report it (`track_activities`). */
const IDLE_STATES = /^idle/

/**
 * Tells slow from dead. A short time-out cannot: on a machine whose processors are all taken, everything takes seconds,
 * and discarding connections and opening new ones makes it worse (measured: 8 minutes without an answer).
 *
 * When a statement is silent, the monitor is asked for its backend. If the backend is working, we wait for the
 * statement. If it is idle or gone, the connection is dead (a load balancer or NAT has lost it): it is closed and its
 * backend ended, so that the statement has no more effect. If the monitor gets no answer either, the server hangs:
 * after `limitMs` the caller gets an error, and the connection is kept until its answer comes.
 */
export function createHangDetector(monitor: BackendMonitor, limitMs: number): HangDetector {
  const statements = new Set<Statement>()
  const unanswered = new Map<WatchedConnection, Statement>()
  let heardAt = -Infinity
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let isClosing = false
  let tickedAt = 0

  function startTicking(): NodeJS.Timeout {
    tickedAt = now()
    return setInterval(tick, TICK_MS).unref()
  }

  function tick(): void {
    if (statements.size === 0) {
      clearInterval(timer)
      timer = undefined
      if (isClosing) monitor.close()
      return
    }
    const at = now()
    const wasAway = at - tickedAt > AWAY_MS
    tickedAt = at
    // Bytes that came while this process itself was suspended are not read yet.
    if (wasAway) return
    const suspects = [...statements].filter(({ sentAt }) => at - sentAt >= SUSPECT_MS)
    for (const each of suspects) if (at - each.sentAt >= limitMs) giveUp(each)
    if (suspects.length === 0 || isLooking) return
    isLooking = true
    void checkBackends(suspects).finally(() => {
      isLooking = false
    })
  }

  async function checkBackends(suspects: readonly Statement[]): Promise<void> {
    const pids = suspects.flatMap(({ connection: { pid } }) => pid ?? [])
    let states: Map<number, string>
    try {
      states = await monitor.statesOf(pids)
    } catch {
      return
    }
    heardAt = now()
    for (const each of suspects) {
      const { pid } = each.connection
      if (pid !== undefined && statements.has(each)) judgeBackend(each, pid, states.get(pid) ?? 'idle')
    }
  }

  function judgeBackend(statement: Statement, pid: number, state: string): void {
    const bytesRead = statement.connection.bytesRead()
    if (!IDLE_STATES.test(state)) statement.idle = undefined
    else if (statement.idle?.bytesRead !== bytesRead) statement.idle = { since: now(), bytesRead }
    else if (now() - statement.idle.since >= IDLE_MS) {
      forget(statement)
      statement.fail(new Unanswered(monitor.end(pid)))
      statement.connection.destroy()
    }
  }

  function giveUp(statement: Statement): void {
    if (statement.hasGivenUp) return
    statement.hasGivenUp = true
    unanswered.set(statement.connection, statement)
    statement.fail(new Unanswered(Promise.resolve(false)))
    // The state of its backend cannot be found out, so it would never be known when it is safe to use it again.
    if (statement.connection.pid === undefined || isClosing) statement.connection.destroy()
  }

  function forget(statement: Statement): void {
    statements.delete(statement)
    if (unanswered.get(statement.connection) === statement) unanswered.delete(statement.connection)
  }

  return {
    over: (connection, answer) =>
      new Promise((resolve, reject) => {
        const statement: Statement = {
          connection,
          sentAt: now(),
          answer,
          fail: reject,
          hasGivenUp: false,
          idle: undefined,
        }
        statements.add(statement)
        timer ??= startTicking()
        answer.then(
          (result) => {
            heardAt = now()
            forget(statement)
            resolve(result)
          },
          (error: unknown) => {
            heardAt = now()
            forget(statement)
            // Statements that still run are watched to their end, or a pool that closes would wait forever for an
            // answer that was lost.
            // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- as it was thrown
            reject(error)
          },
        )
      }),

    pending: (connection) => unanswered.get(connection)?.answer,

    end: ({ pid }) => (pid === undefined ? Promise.resolve(false) : monitor.end(pid)),

    isSilent: () => {
      let oldest = Infinity
      for (const { sentAt } of statements) oldest = Math.min(oldest, sentAt)
      return now() - Math.max(oldest, heardAt) > SILENT_MS && oldest !== Infinity
    },

    close: () => {
      isClosing = true
      for (const { connection, hasGivenUp } of statements) if (hasGivenUp) connection.destroy()
      // Statements that are still running are watched to their end, or a closing pool would wait forever for an answer
      // that was lost.
      if (timer === undefined) monitor.close()
    },
  }
}
