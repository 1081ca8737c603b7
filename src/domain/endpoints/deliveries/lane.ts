import type {
  AttemptResult,
  ClaimedDelivery,
  LaneAnswer,
} from '../../../database/endpoints/deliveries/delivering.js'
import { recordDeliveryCrash } from '../../../database/endpoints/deliveries/stranded.js'
import type { Config } from '../../../config.js'
import { asError, Unavailable } from '../../../errors.js'
import { jobCrashes } from '../../../telemetry/metrics.js'
import type { Context } from '../../context.js'
import { CRASH_WAIT_MS, MAX_CRASHES } from '../../crashes.js'
import { retryWrite } from '../../retry-write.js'
import { attemptDelivery, logAttempt, settledAs } from './deliver.js'

/** A response is slow if it takes more than twice the usual time, and at least 20 ms more: less may be chance. */
const SLOW = { factor: 2, ms: 20 }

/**
 * The weight of one response in what counts as usual. After about ten responses, the old time is mostly forgotten. With
 * more weight, a single slow response would count for too much.
 */
const LEARNING = 0.1

/**
 * A lane keeps its place for this long while others wait for one. With a shorter turn, endpoints that respond quickly
 * would cost two Postgres queries per event.
 */
const TURN_MS = 1000

/**
 * Returns the most lanes that a process works on at a time. They are twice as many as there are places, so that it sees
 * who waits for one: a job that stays in the queue gets no turn. 200 lanes that wait take less than 14 MB (measured).
 */
export function maxLanes({ deliverConcurrency }: Config): number {
  return deliverConcurrency * 2
}

/**
 * The lanes of endpoints that this process works on. A place is the right to make one request at a time, and all lanes
 * together have as many places as the process may use. Each lane gets at most its share of them, and one share is
 * always kept for the next lane, so that no endpoint gets all of them, however much is waiting for it and however
 * slowly it responds.
 *
 * If there are more lanes than places, they take turns: a lane whose turn is over leaves its place to those that wait,
 * and waits behind them, or at the end of the queue if many wait here. So endpoints that hang hold up others for about
 * one time-out, not until everything that waits for them is over.
 */
interface Lanes {
  byEndpoint: Map<string, Lane>
  freePlaces: number
  /** The lanes that wait for a place, in the order in which they get one. */
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
 * Delivers the due events of an endpoint, in the order in which they are due. It ends when nothing is due any longer,
 * or when other processes have all places of the endpoint: each request that ends there starts the next delivery. If
 * this process works on the endpoint already, that work checks once more for due events.
 *
 * @returns the milliseconds until the next one is due; undefined if there is none, or other processes take care of it
 * @throws Unavailable if Postgres is, and nothing is under way here
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

/** Lets requests that are under way end, and claims no more: other processes continue these lanes. */
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
  /** The number of the process's places that it has: for requests, and for claims that are being made. */
  #places = 0
  /** The number of claims, requests and writes that are under way. */
  #open = 0
  /** True if a delivery may be due that the claim under way does not see. */
  #shallLook = false
  /** By `performance.now()`; undefined if it has had no place since it last waited for one. */
  #turnEndsAt: number | undefined
  #usualMs: number | undefined
  #nextDueMs: number | undefined

  constructor(
    private readonly context: Context,
    private readonly lanes: Lanes,
    readonly endpointId: string,
    /** The delivery for which the lane was opened, because each job carries the id of one. */
    readonly id: string,
  ) {
    this.ended = new Promise((resolve, reject) => {
      this.#end = resolve
      this.#fail = reject
    })
  }

  /** Claims due deliveries for all the places that it can get. If it waits for one, it does so when it gets it. */
  look(): void {
    if (this.lanes.waiting.has(this)) return
    const places = this.#take()
    this.#shallLook = places === 0
    if (places > 0) void this.#during(() => this.#step(places))
    else this.#leaveIfOver()
  }

  /** An error ends the lane if nothing else is under way in it. */
  async #during(work: () => Promise<unknown>): Promise<void> {
    this.#open += 1
    let error: unknown
    await work().catch((thrown: unknown) => (error = thrown))
    this.#open -= 1
    // The lane's job reports only the error that ends it.
    if (this.#open > 0 && error !== undefined && !(error instanceof Unavailable)) this.#report(error)
    this.#leaveIfOver(error)
  }

  #report(error: unknown, about: { deliveryId?: string } = {}): void {
    const { context, endpointId } = this
    context.log.error({ endpointId, ...about, err: asError(error) }, 'job.crashed')
    jobCrashes.inc({ queue: 'deliver-event' })
  }

  /** Claims deliveries for places that the lane has taken, and records a request's result in the same statement. */
  async #step(places: number, result?: AttemptResult): Promise<LaneAnswer['became']> {
    const { endpointId } = this
    const step = { endpointId, places, ...(result ? { result } : {}) }
    let toAttempt: ClaimedDelivery[]
    let became: LaneAnswer['became']
    try {
      const answer = await this.context.batched.deliverNext(step)
      became = answer.became
      toAttempt = answer.deliveries.filter(({ status }) => status === 'delivering')
      // A delivery that was held, parked or given up has no request whose end would start the next, so the lane has
      // to look.
      if (toAttempt.length < answer.deliveries.length) this.#shallLook = true
      this.#nextDueMs = answer.nextDueMs ?? undefined
    } catch (error) {
      this.#give(places)
      throw error
    }
    this.#give(places - toAttempt.length)
    for (const delivery of toAttempt) void this.#during(() => this.#request(delivery))
    if (this.#shallLook) this.look()
    return became
  }

  async #request(delivery: ClaimedDelivery): Promise<void> {
    let result: AttemptResult | undefined
    try {
      result = await attemptDelivery(this.context, delivery)
    } catch (error) {
      await this.#noteCrash(delivery, error)
    } finally {
      // The place is free even if the process closes before the crash could be recorded.
      this.#give(1)
    }
    if (result === undefined) this.look()
    else await this.#goOn({ ...result, isSlow: this.#isSlow(result) })
  }

  async #goOn(result: AttemptResult): Promise<void> {
    const { context, endpointId } = this
    let became: LaneAnswer['became']
    await retryWrite(context, async () => {
      const places = this.#take()
      // Due deliveries are claimed when the lane gets a place again.
      if (places === 0) this.#shallLook = true
      became = await this.#step(places, result)
    })
    const settled = settledAs(result, became)
    logAttempt(context, settled)
    if (settled.status === 'pending') {
      void context.queues.wakeLaneIn(settled.retryInMs ?? 0, { endpointId, id: result.deliveryId })
    }
  }

  async #noteCrash(delivery: ClaimedDelivery, error: unknown): Promise<void> {
    const { context, endpointId } = this
    const { id } = delivery
    this.#report(error, { deliveryId: id })
    await retryWrite(context, () => recordDeliveryCrash(context.db, delivery, MAX_CRASHES, CRASH_WAIT_MS))
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
    if (isStopping || (waiting.size > 0 && this.#isTurnOver())) return 0
    const share = Math.max(1, Math.floor(this.context.config.deliverConcurrency / (byEndpoint.size + 1)))
    const places = Math.max(0, Math.min(share - this.#places, freePlaces))
    if (places > 0) this.#turnEndsAt ??= performance.now() + TURN_MS
    this.lanes.freePlaces -= places
    this.#places += places
    return places
  }

  #isTurnOver(): boolean {
    return this.#turnEndsAt !== undefined && performance.now() > this.#turnEndsAt
  }

  #give(places: number): void {
    this.lanes.freePlaces += places
    this.#places -= places
    this.#serveSoon()
  }

  /**
   * Serves the lanes that wait, but not immediately: first the lane that gave a place may take it again for its own next
   * delivery, unless its turn is over.
   */
  #serveSoon(): void {
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
    const { byEndpoint, isStopping, waiting } = this.lanes
    if (this.#open > 0 || waiting.has(this)) return
    if (error === undefined && this.#shallLook && !isStopping) {
      this.#wait()
      return
    }
    byEndpoint.delete(this.endpointId)
    if (error === undefined) this.#end(this.#nextDueMs)
    else this.#fail(error)
  }

  /**
   * If many lanes wait here, more may be waiting in the queue. A lane that has had its turn then goes to the end of the
   * queue.
   */
  #wait(): void {
    const { byEndpoint, waiting } = this.lanes
    const isCrowded = waiting.size >= this.context.config.deliverConcurrency / 2
    if (isCrowded && this.#turnEndsAt !== undefined) {
      byEndpoint.delete(this.endpointId)
      void this.context.queues.passLanesOn([this]).then(() => {
        this.#end(undefined)
      })
      return
    }
    this.#turnEndsAt = undefined
    waiting.add(this)
    this.#serveSoon()
  }
}
