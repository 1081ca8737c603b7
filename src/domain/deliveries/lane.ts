import type { AttemptResult, ClaimedDelivery } from '../../database/deliveries/delivering.js'
import { recordDeliveryCrash } from '../../database/deliveries/stranded.js'
import { asError } from '../../errors.js'
import type { Context } from '../context.js'
import { CRASH_WAIT_MS, MAX_CRASHES } from '../crashes.js'
import { persist } from '../persist.js'
import { attemptDelivery, logAttempt } from './deliver.js'

/** Slower than usual: more than twice as long, and so much more that chance does not do it. */
const SLOW = { factor: 2, ms: 20 }

/** How far one answer moves what counts as usual. */
const LEARNING = 0.1

/**
 * What this process works on: the lanes of endpoints. All of them together have as many places, for requests that are
 * under way, as the process may make at a time. Each may have its share of those, and one share is always left for a lane
 * that comes next, so that no endpoint gets all of them, however much waits for it and however long it takes to answer.
 */
interface Lanes {
  byEndpoint: Map<string, Lane>
  freePlaces: number
  /** In the order in which they found no place free. */
  waiting: Set<Lane>
  isStopping: boolean
}

const lanesOf = new WeakMap<Context['batched'], Lanes>()

function getLanes({ batched, config }: Context): Lanes {
  let lanes = lanesOf.get(batched)
  if (lanes === undefined) {
    lanes = {
      byEndpoint: new Map(),
      freePlaces: config.deliverConcurrency,
      waiting: new Set(),
      isStopping: false,
    }
    lanesOf.set(batched, lanes)
  }
  return lanes
}

/**
 * Delivers what is due to an endpoint, in the order in which it is due, until nothing is, or until other processes have
 * all of its places: whoever ends a request then brings the next. Where this process works on the endpoint already, it
 * is told to look once more.
 *
 * @returns in how many milliseconds the next one is due; undefined: none, or others see to it
 * @throws Unavailable when Postgres is, and nothing is under way here
 */
export async function runLane(context: Context, endpointId: string, id: string): Promise<number | undefined> {
  const lanes = getLanes(context)
  if (lanes.isStopping) {
    await context.queues.passLanesOn([{ endpointId, id }])
    return undefined
  }
  const running = lanes.byEndpoint.get(endpointId)
  if (running !== undefined) {
    running.look()
    return undefined
  }
  const lane = new Lane(context, lanes, endpointId, id)
  lanes.byEndpoint.set(endpointId, lane)
  lane.look()
  return lane.ended
}

/** Requests that are under way end, and no more is claimed: other processes go on with these lanes. */
export async function stopLanes(context: Context): Promise<void> {
  const lanes = getLanes(context)
  lanes.isStopping = true
  lanes.waiting.clear()
  const open = [...lanes.byEndpoint.values()]
  for (const lane of open) lane.look()
  await Promise.allSettled(open.map((lane) => lane.ended))
  await context.queues.passLanesOn(open)
}

class Lane {
  readonly ended: Promise<number | undefined>
  #end!: (nextDueMs: number | undefined) => void
  #fail!: (error: unknown) => void
  /** Of those of the process: for requests, and for claims that are being made. */
  #places = 0
  /** Claims, requests and what is being written down. */
  #open = 0
  /** Something may be due that a claim which is being made does not see. */
  #shallLook = false
  #usualMs: number | undefined
  #nextDueMs: number | undefined

  constructor(
    private readonly context: Context,
    private readonly lanes: Lanes,
    readonly endpointId: string,
    /** Of a delivery that it was opened for: jobs carry one. */
    readonly id: string,
  ) {
    this.ended = new Promise((resolve, reject) => {
      this.#end = resolve
      this.#fail = reject
    })
  }

  /** Claims what is due, for all the places that it can get. */
  look(): void {
    const places = this.#take()
    this.#shallLook = places === 0
    if (places > 0) void this.#during(() => this.#step(places))
    else this.#leaveIfOver()
  }

  /** Nothing that it calls rejects but for a reason to end the lane. */
  async #during(work: () => Promise<unknown>): Promise<void> {
    this.#open += 1
    let error: unknown
    await work().catch((thrown: unknown) => (error = thrown))
    this.#open -= 1
    this.#leaveIfOver(error)
  }

  /** Claims for so many places, which it has taken, and writes down in the same statement what came of a request. */
  async #step(places: number, result?: AttemptResult): Promise<void> {
    const { endpointId } = this
    const step = { endpointId, places, ...(result ? { result } : {}) }
    let toAttempt: ClaimedDelivery[]
    try {
      const answer = await this.context.batched.deliverNext(step)
      toAttempt = answer.deliveries.filter(({ status }) => status === 'delivering')
      // Of what was held or given up there is no request whose end brings what is next.
      if (toAttempt.length < answer.deliveries.length) this.#shallLook = true
      this.#nextDueMs = answer.nextDueMs ?? undefined
    } catch (error) {
      this.#give(places)
      throw error
    }
    this.#give(places - toAttempt.length)
    for (const delivery of toAttempt) void this.#during(() => this.#request(delivery))
    if (this.#shallLook) this.look()
  }

  async #request(delivery: ClaimedDelivery): Promise<void> {
    let result: AttemptResult | undefined
    try {
      result = await attemptDelivery(this.context, delivery)
    } catch (error) {
      await this.#noteCrash(delivery.id, error)
    }
    this.#give(1)
    if (result === undefined) this.look()
    else await this.#goOn({ ...result, isSlow: this.#isSlow(result) })
  }

  async #goOn(result: AttemptResult): Promise<void> {
    const { context, endpointId } = this
    await persist(() => this.#step(this.#take(), result))
    logAttempt(context, result)
    if (result.status === 'pending') {
      void context.queues.wakeLaneIn(result.retryInMs ?? 0, { endpointId, id: result.deliveryId })
    }
  }

  async #noteCrash(id: string, error: unknown): Promise<void> {
    const { context, endpointId } = this
    context.log.error({ deliveryId: id, err: asError(error) }, 'job.crashed')
    await persist(() => recordDeliveryCrash(context.db, id, MAX_CRASHES, CRASH_WAIT_MS))
    void context.queues.wakeLaneIn(CRASH_WAIT_MS, { endpointId, id })
  }

  #isSlow({ failure, durationMs }: AttemptResult): boolean {
    if (failure !== undefined) return false
    const usualMs = this.#usualMs
    this.#usualMs = usualMs === undefined ? durationMs : usualMs + (durationMs - usualMs) * LEARNING
    return usualMs !== undefined && durationMs > usualMs * SLOW.factor + SLOW.ms
  }

  #take(): number {
    const { byEndpoint, freePlaces, isStopping, waiting } = this.lanes
    if (isStopping) return 0
    const share = Math.max(1, Math.floor(this.context.config.deliverConcurrency / (byEndpoint.size + 1)))
    const places = Math.max(0, Math.min(share - this.#places, freePlaces))
    if (places === 0 && this.#open === 0) waiting.add(this)
    this.lanes.freePlaces -= places
    this.#places += places
    return places
  }

  #give(places: number): void {
    this.lanes.freePlaces += places
    this.#places -= places
    // Afterwards: who gives a place may be about to take it again, when that is its share.
    if (this.lanes.waiting.size > 0)
      queueMicrotask(() => {
        this.#serveNext()
      })
  }

  #serveNext(): void {
    const { waiting } = this.lanes
    for (const lane of waiting) {
      if (this.lanes.freePlaces === 0) return
      waiting.delete(lane)
      lane.look()
    }
  }

  #leaveIfOver(error?: unknown): void {
    if (this.#open > 0 || this.lanes.waiting.has(this)) return
    this.lanes.byEndpoint.delete(this.endpointId)
    if (error === undefined) this.#end(this.#nextDueMs)
    else this.#fail(error)
  }
}
