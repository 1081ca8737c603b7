import { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { asError } from '../errors.js'
import { newId } from '../ids.js'
import { redisAvailable } from '../kit/redis/redis.js'
import type { Logger } from '../telemetry/log.js'
import { jobsNotEnqueued } from '../telemetry/metrics.js'
import { addJobs } from './add-jobs.js'
import { findExistingJobs } from './queue-jobs.js'
import {
  JOB_VERSION,
  jobIdOf,
  type DeliverEventJob,
  type FetchMediaJob,
  type MaintenanceJob,
  type SendMessageJob,
} from './jobs.js'

/** The braces make one hash slot, which Redis Cluster wants of all the keys that a script touches. */
export const QUEUE_PREFIX = '{linehook}'

/** A queue has the name of the process type that works on it. */
export type QueueName = 'send-message' | 'deliver-event' | 'fetch-media' | 'maintenance'

/** The rows that a statement has just made due, for `Queues.enqueueNext`. */
export interface DueNext {
  requeued: readonly { id: string; generation: number }[]
  deliveries: readonly { id: string; endpointId: string; generation: number }[]
}

export interface Queues {
  all: Queue[]
  sendMessage: Queue<SendMessageJob>
  deliverEvent: Queue<DeliverEventJob>
  fetchMedia: Queue<FetchMediaJob>
  maintenance: Queue<MaintenanceJob>
  /**
   * Only enqueues, and never fails: the rows are committed, so the sweep enqueues what Redis does not take now.
   * Callers need not wait.
   */
  enqueueMessages(rows: readonly { id: string; generation: number }[]): Promise<void>
  /** Adds one job per endpoint, which is processed as a lane (`domain/deliveries/lane.ts`). */
  enqueueDeliveries(rows: readonly { id: string; endpointId: string; generation: number }[]): Promise<void>
  /** What becomes due when messages end: the next messages to their numbers, and the events about them. */
  enqueueNext(due: DueNext): Promise<void>
  /**
   * Makes jobs for lanes that no worker is busy with, unless such a job is already waiting. `id` is one of the lane's
   * deliveries.
   */
  wakeLanes(lanes: readonly { endpointId: string; id: string }[]): Promise<void>
  /**
   * Hands lanes of this process over to another one. The job that this process runs may not have ended yet, and
   * BullMQ adds no job whose id exists, so each of these has a new id.
   */
  passLanesOn(lanes: readonly { endpointId: string; id: string }[]): Promise<void>
  /**
   * Wakes the lane after this many milliseconds, at `wakingMoment`. A lane that is woken before the moment finds nothing
   * due, and its job comes again when something is (`processes/deliver-event.ts`).
   */
  wakeLaneIn(ms: number, lane: { endpointId: string; id: string }): Promise<void>
  /** Tries a delivery in a separate process, because it may have crashed others. */
  enqueueSuspects(rows: readonly { id: string; endpointId: string; generation: number }[]): Promise<void>
  enqueueMedia(rows: readonly { id: string; generation: number }[]): Promise<void>
  enqueueTasks(rows: readonly { id: string; generation: number }[]): Promise<void>
  /**
   * Returns which of these overdue rows have a job that will run. A job that is still delayed got a wrong time from
   * some process's clock, so it is made to start now.
   *
   * @throws Unavailable if Redis does not answer
   */
  existingJobs(name: QueueName, rows: readonly { id: string; generation: number }[]): Promise<Set<string>>
  close(): Promise<void>
}

/** Jobs of a lane come at whole ticks, so that one job serves all deliveries that are due within one. */
const LANE_TICK_MS = 100
/** A tick takes at most this share of the wait. */
const SHARE_OF_WAIT = 0.01

/**
 * The moment of the job for a delivery that waits. A long wait has a long tick, because Redis would otherwise keep a job
 * for every delivery that waits for hours: 195,000 of them (203 MB) if one event a second fails. Now it keeps about
 * 1,000 for one endpoint, whatever fails. The job comes at the end of a short tick and at the beginning of a long one:
 * between the two there is time to come again exactly when the delivery is due, and nothing is ever late. Ticks double
 * from one length to the next, so that the moments of a longer one are also moments of the shorter ones.
 */
export function wakingMoment(now: number, waitMs: number): number {
  const longest = Math.max(1, (waitMs * SHARE_OF_WAIT) / LANE_TICK_MS)
  const tickMs = LANE_TICK_MS * 2 ** Math.floor(Math.log2(longest))
  const due = (now + waitMs) / tickMs
  return tickMs * (tickMs === LANE_TICK_MS ? Math.ceil(due) : Math.floor(due))
}

export function createQueues(redis: Redis, log: Logger): Queues {
  const sendMessage = openQueue<SendMessageJob>(redis, 'send-message')
  const deliverEvent = openQueue<DeliverEventJob>(redis, 'deliver-event')
  const fetchMedia = openQueue<FetchMediaJob>(redis, 'fetch-media')
  const maintenance = openQueue<MaintenanceJob>(redis, 'maintenance')
  const all: Queue[] = [sendMessage, deliverEvent, fetchMedia, maintenance]

  const tryEnqueue = async (queue: Queue, count: number, add: () => Promise<unknown>) => {
    if (count === 0) return
    // BullMQ would wait for a connection that is down, and hold the jobs in memory.
    if (redis.status !== 'ready') {
      jobsNotEnqueued.inc({ queue: queue.name }, count)
      return
    }
    try {
      await add()
    } catch (error) {
      jobsNotEnqueued.inc({ queue: queue.name }, count)
      log.warn({ queue: queue.name, count, err: asError(error) }, 'queue.enqueue_failed')
    }
  }

  const addRows = (
    queue: Queue,
    rows: readonly { id: string; generation: number }[],
    dataOf: (row: { generation: number }) => object = () => ({}),
  ) =>
    tryEnqueue(queue, rows.length, () =>
      addJobs(
        redis,
        queue,
        rows.map((row) => ({
          id: jobIdOf(row.id, row.generation),
          data: { v: JOB_VERSION, ...dataOf(row), id: row.id },
        })),
      ),
    )

  /** A failed job of a lane is not kept, because the next job with its id would then be ignored. */
  const ofLanes = { removeOnFail: true }

  const addDeliveries = (jobs: readonly (Omit<DeliverEventJob, 'v'> & { jobId: string })[]) =>
    tryEnqueue(deliverEvent, jobs.length, () =>
      addJobs(
        redis,
        deliverEvent,
        jobs.map(({ id, endpointId, isSuspect, jobId }) => ({
          id: jobId,
          data: { v: JOB_VERSION, id, endpointId, ...(isSuspect === true ? { isSuspect } : {}) },
        })),
        ofLanes,
      ),
    )

  const enqueueMessages: Queues['enqueueMessages'] = (rows) => addRows(sendMessage, rows)
  const enqueueDeliveries: Queues['enqueueDeliveries'] = (rows) => {
    const first = new Map([...rows].reverse().map((row) => [row.endpointId, row]))
    return addDeliveries(
      [...first.values()].map((row) => ({ ...row, jobId: jobIdOf(row.id, row.generation) })),
    )
  }

  return {
    all,
    sendMessage,
    deliverEvent,
    fetchMedia,
    maintenance,
    enqueueMessages,
    enqueueDeliveries,
    enqueueNext: async ({ requeued, deliveries }) => {
      await Promise.all([enqueueMessages(requeued), enqueueDeliveries(deliveries)])
    },
    enqueueSuspects: (rows) =>
      addDeliveries(
        rows.map((row) => ({ ...row, jobId: `alone-${jobIdOf(row.id, row.generation)}`, isSuspect: true })),
      ),
    passLanesOn: (lanes) =>
      addDeliveries(lanes.map((lane) => ({ ...lane, jobId: `lane-${lane.endpointId}-${newId()}` }))),
    wakeLanes: (lanes) =>
      addDeliveries(lanes.map(({ endpointId, id }) => ({ endpointId, id, jobId: `lane-${endpointId}` }))),
    wakeLaneIn: (ms, { id, endpointId }) => {
      const moment = wakingMoment(Date.now(), ms)
      const jobId = `lane-${endpointId}-${moment}`
      const delay = Math.max(0, moment - Date.now())
      return tryEnqueue(deliverEvent, 1, () =>
        deliverEvent.add(
          'deliver-event',
          { v: JOB_VERSION, id, endpointId, isTimed: true },
          { ...ofLanes, jobId, delay },
        ),
      )
    },
    enqueueMedia: (rows) => addRows(fetchMedia, rows, ({ generation }) => ({ generation })),
    enqueueTasks: (rows) => addRows(maintenance, rows, () => ({ task: 'background' })),
    existingJobs: (name, rows) => {
      const queue = all.find((each) => each.name === name)
      if (queue === undefined) throw new Error(`there is no queue ${name}`)
      return redisAvailable(() => findExistingJobs(queue, redis, rows))
    },
    close: async () => {
      await Promise.allSettled(all.map((queue) => queue.close()))
    },
  }
}

function openQueue<Data>(redis: Redis, name: QueueName) {
  const queue = new Queue<Data, void>(name, {
    connection: redis,
    prefix: QUEUE_PREFIX,
    // A process must start without Redis. BullMQ would ask for the server's version once, and refuse forever if it
    // got no answer; the workers' own connections check it.
    skipWaitingForReady: true,
    skipVersionCheck: true,
    // Failed jobs are for operators to look at in the dashboard; Redis must not fill with them.
    defaultJobOptions: { removeOnComplete: true, removeOnFail: { count: 1000 } },
  })
  // The connection reports its own errors; without a listener an error event would end the process.
  queue.on('error', () => undefined)
  return queue
}
