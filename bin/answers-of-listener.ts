import { askRemote, RemoteRefusal, type Remote } from './remote.js'

/** How a listener's own server answered an event. */
export interface ListenerAnswer {
  eventId: string
  startedAt: string
  durationMs: number
  responseStatus: number | null
  failure: string | null
}

/** The most answers that the service takes in one request. */
const BATCH = 100
/** The most answers that wait while the service is away; later ones are shown only on the terminal. */
const MAX_WAITING = 1000
const EVERY_MS = 1000
/** The longest wait for one answer of the service, also after Ctrl-C. */
const TELL_MS = 3000

/**
 * Sends the answers of a listener's server to the service, so that the message's page shows them. It never delays the
 * events: it gathers answers for a second, and stops if the service does not allow it.
 */
export class AnswersOfListener {
  #waiting: ListenerAnswer[] = []
  #timer: NodeJS.Timeout | undefined
  #sending = Promise.resolve()
  #isRefused = false

  constructor(
    private readonly remote: Remote,
    private readonly lineId: string,
    private readonly say: (sentence: string) => void,
  ) {}

  add(answer: ListenerAnswer): void {
    if (this.#isRefused || this.#waiting.length >= MAX_WAITING) return
    this.#waiting.push(answer)
    this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS)
  }

  /**
   * Sends the oldest answers that have not been sent yet, once: each request begins when the one before it is answered.
   */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#sending = this.#sending.then(() => this.#send())
    await this.#sending
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS).unref()
  }

  /**
   * Sends all answers at the end, batch by batch. It stops when the service does not take one, or takes too long for all
   * together: somebody waits at the terminal.
   */
  async flushAll(): Promise<void> {
    const begunAt = performance.now()
    let before = Infinity
    while (
      this.#waiting.length > 0 &&
      this.#waiting.length < before &&
      performance.now() - begunAt < TELL_MS
    ) {
      before = this.#waiting.length
      await this.flush()
    }
    // One that was under way has taken them.
    await this.#sending
  }

  async #send(): Promise<void> {
    const attempts = this.#waiting.slice(0, BATCH)
    if (attempts.length === 0) return
    try {
      const path = `/v1/lines/${this.lineId}/events/attempts`
      await askRemote(this.remote, path, { method: 'POST', body: { attempts }, timeoutMs: TELL_MS })
      this.#waiting = this.#waiting.slice(attempts.length)
    } catch (error) {
      if (error instanceof RemoteRefusal && error.mayPass) return
      this.#isRefused = true
      this.#waiting = []
      this.say(`The service could not record the responses: ${error instanceof Error ? error.message : ''}`)
    }
  }
}
