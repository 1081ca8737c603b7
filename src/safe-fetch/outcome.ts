import { asError } from '../errors.js'
import { Fault } from './failures.js'

export interface TimeLimits {
  /** The time for the whole exchange, from the look-up of the name to the last byte of the answer: 15,000 by default. */
  timeoutMs?: number
  signal?: AbortSignal
}

/** The interface promises developers 15 s for an event. A hanging server occupies its caller's place for that long. */
const DEFAULT_TIMEOUT_MS = 15_000

/**
 * The most interim (1xx) responses before the response itself. Servers send one or two; a server that sends nothing else
 * would keep the process busy for as long as an exchange may take, because no other limit counts them.
 */
const MAX_INTERIM = 100

/**
 * The one outcome of an exchange: whichever comes first of an answer, a failure, the end of the time, or the caller's
 * cancelling. The timer replaces AbortSignal.timeout and .any, because it is cleared with the answer and leaves no
 * listener.
 */
export class Outcome<Answer> {
  readonly promise: Promise<Answer>
  /** True if bytes of the request may have left. Faults carry this. */
  isRequestSent = false
  isSettled = false
  #resolve!: (answer: Answer) => void
  #reject!: (error: Error) => void
  readonly #letGo: () => void
  readonly #timer: NodeJS.Timeout
  #bodyTimer: NodeJS.Timeout | undefined
  #answerBefore: ((fault: Fault) => Answer) | undefined
  readonly #signal: AbortSignal | undefined
  #interimCount = 0

  /** @param letGo releases the connection; called if the exchange ends before its answer does */
  constructor({ timeoutMs = DEFAULT_TIMEOUT_MS, signal }: TimeLimits, letGo: () => void) {
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
    this.#letGo = letGo
    this.#timer = setTimeout(() => {
      this.cut(new Fault('timeout', `No complete response within ${timeoutMs / 1_000} s.`))
    }, timeoutMs)
    this.#signal = signal
    signal?.addEventListener('abort', this.#cancel)
    if (signal?.aborted) this.#cancel()
  }

  /**
   * The head of the response has arrived, and it is all that the caller needs: a fault after this does not undo it.
   *
   * @param answerBefore the answer as far as it had come before a fault
   * @param bodyMs the most time that the body still gets
   */
  takeHead(answerBefore: (fault: Fault) => Answer, bodyMs: number): void {
    if (this.isSettled) return
    this.#answerBefore = answerBefore
    this.#bodyTimer = setTimeout(() => {
      this.cut(new Fault('timeout', `No complete response within ${bodyMs / 1_000} s of its headers.`))
    }, bodyMs)
  }

  /** Called for each interim response. */
  takeInterim(): void {
    this.#interimCount += 1
    if (this.#interimCount <= MAX_INTERIM) return
    this.cut(new Fault('bad_response', `More than ${MAX_INTERIM} interim (1xx) responses and no other came.`))
  }

  /** Only the first call counts. */
  settle(settled: Answer | Error): void {
    if (this.isSettled) return
    this.isSettled = true
    clearTimeout(this.#timer)
    clearTimeout(this.#bodyTimer)
    const outcome = settled instanceof Fault ? (this.#answerBefore?.(settled) ?? settled) : settled
    this.#signal?.removeEventListener('abort', this.#cancel)
    if (outcome instanceof Fault) outcome.requestSent = this.isRequestSent
    if (outcome instanceof Error) this.#reject(outcome)
    else this.#resolve(outcome)
  }

  /** Settles the outcome and releases the connection. */
  cut(outcome: Answer | Error): void {
    this.settle(outcome)
    this.#letGo()
  }

  /** Rejects with an error of the caller's code, unchanged. */
  fail(thrown: unknown): void {
    this.cut(asError(thrown))
  }

  readonly #cancel = () => {
    this.cut(new Fault('aborted', 'The request was cancelled.', this.#signal?.reason))
  }
}
