import { askRemote, RemoteRefusal, type Remote } from './remote.js'

/** What a listener's server answered to an event. */
export interface ListenerAnswer {
  eventId: string
  startedAt: string
  durationMs: number
  responseStatus: number | null
  failure: string | null
}

/** As many as the service takes at once. */
const BATCH = 100
/** While the service is away; what comes then is told to nobody but the terminal. */
const MAX_WAITING = 1000
const EVERY_MS = 1000
/** Who presses Ctrl-C waits no longer than this. */
const TELL_MS = 3000

/**
 * Tells the service what a listener's server answered, so that the message's page shows it. It never holds the events up: it
 * gathers answers for a second, and gives up when it may not tell.
 */
export class AnswersOfListener {
  #waiting: ListenerAnswer[] = []
  #timer: NodeJS.Timeout | undefined
  #sending: Promise<void> | undefined
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

  /** Tells what was not told yet, once. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    await this.#sending
    this.#sending = this.#send()
    await this.#sending
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS).unref()
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
      this.say(`The answers are not noted at the service: ${error instanceof Error ? error.message : ''}`)
    }
  }
}
