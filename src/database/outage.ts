import { hasCode, Unavailable } from '../errors.js'

/**
 * The reasons why Postgres could not run a statement that is not itself at fault:
 *
 * | name | what happened | was the statement done? | |---|---|---|
 * | `lost` | the connection broke, or its server shut down or became read-only | perhaps |
 * | `silent` | no answer: the server hangs, or the network swallows packets (`hang-detector.ts`) | perhaps |
 * | `busy` | no room or no time: out of connections or memory, a lock, the statement's own time-out, or it was not asked, because no connection could be opened or others already wait in vain | no |
 * | `gave_way` | a deadlock or a serialization failure | no |
 */
export type Outage = 'lost' | 'silent' | 'busy' | 'gave_way'

/** Thrown by every call of Postgres while it cannot serve. `cause` is the driver's error. */
export class DatabaseUnavailable extends Unavailable {
  readonly #isOver: Promise<boolean> | (() => Promise<boolean>)

  /** @param isOver for a statement that was under way */
  constructor(
    readonly outage: Outage,
    cause: unknown,
    isOver: Promise<boolean> | (() => Promise<boolean>) = Promise.resolve(!IN_DOUBT.has(outage)),
  ) {
    super('Postgres is not available', 5, { cause })
    this.#isOver = isOver
  }

  /**
   * True if the statement can have no more effect, so that whatever it has not done by now will never be done. If
   * Postgres is still running it, it is ended.
   */
  isOver(): Promise<boolean> {
    return typeof this.#isOver === 'function' ? this.#isOver() : this.#isOver
  }
}

const IN_DOUBT: ReadonlySet<Outage> = new Set(['lost', 'silent'])

/**
 * No connection could be opened, whatever the reason, so nothing was sent. It need not be an outage: the password may
 * have been changed, or a certificate may have expired, while the connections that are open still work.
 */
export class CannotConnect extends DatabaseUnavailable {
  constructor(cause: unknown) {
    super('busy', cause)
  }

  /** True if a person has to fix it, such as a wrong password. Others, such as a server that is starting, pass. */
  isForPeople(): boolean {
    return outageOf(this.cause) === undefined
  }
}

/** Names an error of pg, knex or the network; undefined if it is a fault of the statement. */
export function outageOf(error: unknown): Outage | undefined {
  if (!(error instanceof Error)) return undefined
  const code = codeOf(error)
  if (GAVE_WAY.test(code)) return 'gave_way'
  if (LOST.test(code) || LOST_IN_WORDS.test(error.message)) return 'lost'
  if (BUSY.test(code) || error.name === 'KnexTimeoutError' || NOT_ASKED.has(error.message)) return 'busy'
  return undefined
}

/** True if a statement that failed this way may have been done. One that never reached Postgres was not. */
export function mayBeDone(error: unknown): boolean {
  return !(error instanceof DatabaseUnavailable) || IN_DOUBT.has(error.outage)
}

/** True if Postgres ended the statement because it took too long, which it probably does the next time too. */
export function tookTooLong(error: unknown): boolean {
  return error instanceof DatabaseUnavailable && hasCode(error.cause, STATEMENT_TIMED_OUT)
}

const STATEMENT_TIMED_OUT = '57014'

/** 25006 is a read-only transaction; with 57P0x the server shuts down or is starting. */
export function isOfAnotherServer(error: unknown): boolean {
  return error instanceof Error && /^(25006|57P0.)$/.test(codeOf(error))
}

/**
 * The codes are from https://www.postgresql.org/docs/current/errcodes-appendix.html: 25006 read-only, 57P0x shut
 * down, 08 connection, 25P03 and 25P04 the session was ended for being idle in a transaction or for its length.
 */
const LOST =
  /^(25006|25P0[34]|57P0.|08...|ECONN\w+|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/
const LOST_IN_WORDS =
  /Connection terminated|Connection ended|Unable to acquire a connection|Client has encountered a connection error|Client was closed and is not queryable/
/** pg's message for a connection that could not be opened in time. */
export const OPENING_TIMED_OUT = 'timeout expired'
/** The statement was never sent. `aborted` is the pool's error for waiting callers when it is closed. */
const NOT_ASKED: ReadonlySet<string> = new Set([OPENING_TIMED_OUT, 'aborted'])
/**
 * 53xxx means out of resources, 55P03 that a lock is not available, 57014 a statement time-out, 58030 that the disk
 * fails.
 */
const BUSY = /^(53...|55P03|57014|58030)$/
/** 40P01 is a deadlock, 40001 a serialization failure: nothing was done, and a second run should succeed. */
const GAVE_WAY = /^(40P01|40001)$/

function codeOf(error: Error): string {
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') return code
  // With happy eyeballs, Node reports one error that contains the error of each address.
  return error instanceof AggregateError && error.errors[0] instanceof Error ? codeOf(error.errors[0]) : ''
}
