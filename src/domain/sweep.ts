import { transaction } from '../database/connection.js'
import { lockOverdue, renewJobs } from '../database/claims.js'
import { expireDeliveryLeases, findIdleLanes } from '../database/endpoints/deliveries/stranded.js'
import { expireMediaLeases, recheckMedia } from '../database/media/stranded.js'
import { renewMessageJobs } from '../database/messages/requeueing.js'
import { expireLeases, lockOverdueMessages, recheckMessages } from '../database/messages/stranded.js'
import type { DueWork } from '../database/operating/due-work.js'
import { Unavailable } from '../errors.js'
import { asError } from '../errors.js'
import { messageOutcomes, sweeperFinds } from '../telemetry/metrics.js'
import type { Context } from './context.js'
import { MAX_LOST } from './crashes.js'

/** A row is stranded if it was due this long ago and no job is on its way: ordinary jobs start sooner. */
export const OVERDUE_MS = 3000
/** If its job exists, the row only waits for a worker, so the next check is not urgent. */
const RECHECK_MS = 15_000
/**
 * Each batch is a transaction that locks its rows while Redis is asked. With larger batches workers would
 * wait for these locks. With smaller ones the backlog of a wiped Redis would get its jobs later.
 */
const BATCH = 1000

/**
 * Finds work that was lost on the way: rows whose process died between commit and enqueue, jobs that Redis forgot,
 * leases of workers that are gone. Any number of processes may sweep: locked rows are passed over.
 *
 * @param steps the steps that have something to do (`due_work`)
 * @returns the number of rows that got a new job
 */
export async function sweep(context: Context, steps: readonly Swept[] = SWEPT): Promise<number> {
  let count = 0
  for (const what of steps) {
    const { sweepBatch, asksRedis = false } = STEPS[what]
    // Without Redis, we cannot know whether a job is lost. The next sweep, a second later, tries again.
    if (!asksRedis || context.redis.status === 'ready') count += await step(context, what, sweepBatch)
  }
  return count
}

interface Step {
  sweepBatch: (context: Context) => Promise<{ looked: number; renewed: number }>
  asksRedis?: boolean
}

type Swept = Extract<DueWork, `expired ${string}` | `stranded ${string}` | 'idle lanes'>

const STEPS: Record<Swept, Step> = {
  'expired messages': { sweepBatch: sweepExpiredMessages },
  'expired deliveries': { sweepBatch: sweepExpiredDeliveries },
  'expired media': { sweepBatch: sweepExpiredMedia },
  'stranded messages': { sweepBatch: sweepStrandedMessages, asksRedis: true },
  'idle lanes': { sweepBatch: sweepIdleLanes, asksRedis: true },
  'stranded media': { sweepBatch: sweepStrandedMedia, asksRedis: true },
  'stranded tasks': { sweepBatch: sweepStrandedTasks, asksRedis: true },
}

/** The steps of the sweep, in order. */
export const SWEPT = Object.keys(STEPS) as Swept[]

/** Graphs and alerts have to start at 0, although a step runs only when it has something to do. */
export function initSweepCounters(): void {
  for (const what of SWEPT) countFinds(what, 0)
}

function countFinds(what: string, count: number): void {
  sweeperFinds.inc({ what: what.replaceAll(' ', '_') }, count)
}

/** Sweeps batch after batch until one is not full. A step that fails does not stop the other steps. */
async function step(context: Context, what: string, sweepBatch: Step['sweepBatch']): Promise<number> {
  let total = 0
  try {
    for (;;) {
      const { looked, renewed } = await sweepBatch(context)
      total += renewed
      if (looked < BATCH) break
    }
  } catch (error) {
    const level = error instanceof Unavailable ? 'warn' : 'error'
    context.log[level]({ what, err: asError(error) }, 'sweep.failed')
  }
  countFinds(what, total)
  if (total > 0) context.log.info({ what, count: total }, 'sweep.requeued')
  return total
}

async function sweepExpiredMessages({ db, queues, log }: Context) {
  const { expired, ...next } = await expireLeases(db, BATCH)
  messageOutcomes.inc({ outcome: 'unknown', reason: 'worker_lost' }, expired.length)
  for (const messageId of expired) log.warn({ messageId, error: 'worker_lost' }, 'message.unknown')
  await queues.enqueueNext(next)
  return { looked: expired.length, renewed: next.requeued.length }
}

async function sweepExpiredDeliveries({ db, queues, log }: Context) {
  const expired = await expireDeliveryLeases(db, BATCH)
  for (const { id: deliveryId } of expired) {
    log.warn({ deliveryId, failure: 'worker_lost' }, 'delivery.attempted')
  }
  await queues.enqueueDeliveries(expired)
  await queues.enqueueSuspects(expired.filter(({ lostCount }) => lostCount >= MAX_LOST))
  return { looked: expired.length, renewed: expired.length }
}

async function sweepExpiredMedia({ db, queues, log }: Context) {
  const expired = await expireMediaLeases(db, BATCH)
  for (const { id: mediaId } of expired) log.warn({ mediaId, failure: 'worker_lost' }, 'media.fetched')
  await queues.enqueueMedia(expired)
  return { looked: expired.length, renewed: expired.length }
}

async function sweepStrandedMessages({ db, sendingQueue }: Context) {
  const { looked, renewed } = await transaction(db, async (trx) => {
    const rows = await lockOverdueMessages(trx, OVERDUE_MS, BATCH)
    const lineOf = new Map(rows.map(({ id, lineId }) => [id, lineId]))
    const waiting = await sendingQueue.waiting(rows, trx)
    const [lost, coming] = split(rows, ({ id, isBehind }) => !waiting.has(id) && !isBehind)
    if (coming.length > 0) await recheckMessages(trx, coming, RECHECK_MS)
    const jobs = lost.length > 0 ? await renewMessageJobs(trx, lost) : []
    return { looked: rows.length, renewed: jobs.map((job) => ({ ...job, lineId: lineOf.get(job.id) ?? '' })) }
  })
  await sendingQueue.enqueue(renewed)
  return { looked, renewed: renewed.length }
}

/**
 * Takes one batch only: lanes that were just woken still look idle until a worker comes, and would be found again. A
 * suspect gets its own job again, because no lane delivers it. The job's id is always the same, so a job that still
 * exists stays the only one.
 */
async function sweepIdleLanes({ db, queues }: Context) {
  const lanes = await findIdleLanes(db, { overdueMs: OVERDUE_MS, maxLost: MAX_LOST, limit: BATCH })
  await queues.wakeLanes(lanes)
  await queues.enqueueSuspects(lanes.filter(({ isSuspect }) => isSuspect))
  return { looked: 0, renewed: lanes.length }
}

async function sweepStrandedMedia({ db, queues }: Context) {
  const { looked, renewed } = await transaction(db, async (trx) => {
    const rows = await lockOverdue(trx, 'media', OVERDUE_MS, BATCH)
    const withJob = await queues.existingJobs('fetch-media', rows)
    const [lost, coming] = split(rows, ({ id }) => !withJob.has(id))
    if (coming.length > 0) await recheckMedia(trx, coming, RECHECK_MS)
    return { looked: rows.length, renewed: lost.length > 0 ? await renewJobs(trx, 'media', lost) : [] }
  })
  await queues.enqueueMedia(renewed)
  return { looked, renewed: renewed.length }
}

/** There are few, so that they need no batches, and those with a job can be checked every time. */
async function sweepStrandedTasks({ db, queues }: Context) {
  const renewed = await transaction(db, async (trx) => {
    const rows = await lockOverdue(trx, 'tasks', OVERDUE_MS, BATCH)
    const withJob = await queues.existingJobs('maintenance', rows)
    const [lost] = split(rows, ({ id }) => !withJob.has(id))
    return lost.length > 0 ? renewJobs(trx, 'tasks', lost) : []
  })
  await queues.enqueueTasks(renewed)
  return { looked: 0, renewed: renewed.length }
}

/** @returns the ids of the rows whose job is lost, and those of the others */
function split<Row extends { id: string }>(
  rows: readonly Row[],
  isLost: (row: Row) => boolean,
): [string[], string[]] {
  const ids = (which: boolean) => rows.filter((row) => isLost(row) === which).map(({ id }) => id)
  return [ids(true), ids(false)]
}
