import { Unavailable } from '../errors.js'
import {
  expireDeliveryLeases,
  lockOverdueDeliveries,
  renewDeliveryJobs,
} from '../database/deliveries/stranded.js'
import {
  expireMediaLeases,
  lockOverdueMedia,
  postponeMedia,
  renewMediaJobs,
} from '../database/media/stranded.js'
import { postponeDeliveries } from '../database/deliveries/delivering.js'
import { postponeMessages } from '../database/messages/sending.js'
import { renewMessageJobs } from '../database/messages/turns.js'
import { expireLeases, lockOverdueMessages } from '../database/messages/stranded.js'
import { asError } from '../errors.js'
import type { Context } from './context.js'
import { MAX_CRASHES } from './crashes.js'

/** A row is stranded when it was due so long ago and no job is on its way to it. */
const OVERDUE_MS = 3000
/** A row whose job exists only waits for a worker; it is looked at again after this. */
const LOOK_AGAIN_MS = 15_000
const BATCH = 1000

/**
 * Finds what was lost on the way: rows whose process died between commit and enqueue, jobs that Redis forgot,
 * leases of workers that are gone. Any number of processes may sweep: locked rows are passed over.
 *
 * @returns how many rows got a new job
 */
export async function sweep(context: Context): Promise<number> {
  const counts = [
    await step(context, 'expired messages', sweepExpiredMessages),
    await step(context, 'expired deliveries', sweepExpiredDeliveries),
    await step(context, 'expired media', sweepExpiredMedia),
    // Without Redis a new job cannot be told from a lost one; there will be another second.
    ...(context.redis.status === 'ready'
      ? [
          await step(context, 'stranded messages', sweepStrandedMessages),
          await step(context, 'stranded deliveries', sweepStrandedDeliveries),
          await step(context, 'stranded media', sweepStrandedMedia),
        ]
      : []),
  ]
  return counts.reduce((sum, count) => sum + count, 0)
}

/** Batch after batch until one is not full; one step's failure does not keep the others from their turn. */
async function step(
  context: Context,
  what: string,
  sweepBatch: (context: Context) => Promise<{ looked: number; renewed: number }>,
): Promise<number> {
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
  if (total > 0) context.log.info({ what, count: total }, 'sweep.requeued')
  return total
}

async function sweepExpiredMessages({ db, queues, log }: Context) {
  const { expired, requeued, deliveries } = await expireLeases(db, BATCH)
  for (const messageId of expired) log.warn({ messageId, error: 'worker_lost' }, 'message.unknown')
  await queues.enqueueMessages(requeued)
  await queues.enqueueDeliveries(deliveries)
  return { looked: expired.length, renewed: requeued.length }
}

async function sweepExpiredDeliveries({ db, queues, log }: Context) {
  const { expired, requeued } = await expireDeliveryLeases(db, BATCH, MAX_CRASHES)
  for (const deliveryId of expired) log.warn({ deliveryId, failure: 'worker_lost' }, 'delivery.attempted')
  await queues.enqueueDeliveries(requeued)
  return { looked: expired.length, renewed: requeued.length }
}

async function sweepExpiredMedia({ db, queues, log }: Context) {
  const expired = await expireMediaLeases(db, BATCH)
  for (const { id: mediaId } of expired) log.warn({ mediaId, failure: 'worker_lost' }, 'media.fetched')
  await queues.enqueueMedia(expired)
  return { looked: expired.length, renewed: expired.length }
}

async function sweepStrandedMessages({ db, queues }: Context) {
  const { looked, renewed } = await db.transaction(async (trx) => {
    const rows = await lockOverdueMessages(trx, OVERDUE_MS, BATCH)
    const withJob = await queues.existingJobs('send-message', rows)
    const lost = rows.filter((row) => !withJob.has(row.id) && !row.isBehind)
    const waits = rows.filter((row) => !lost.includes(row)).map(({ id }) => ({ id, ms: LOOK_AGAIN_MS }))
    if (waits.length > 0) await postponeMessages(trx, waits)
    const ids = lost.map(({ id }) => id)
    return { looked: rows.length, renewed: ids.length > 0 ? await renewMessageJobs(trx, ids) : [] }
  })
  await queues.enqueueMessages(renewed)
  return { looked, renewed: renewed.length }
}

async function sweepStrandedDeliveries({ db, queues }: Context) {
  const { looked, renewed } = await db.transaction(async (trx) => {
    const rows = await lockOverdueDeliveries(trx, OVERDUE_MS, BATCH)
    const withJob = await queues.existingJobs('deliver-event', rows)
    const waits = rows.filter((row) => withJob.has(row.id)).map(({ id }) => ({ id, ms: LOOK_AGAIN_MS }))
    if (waits.length > 0) await postponeDeliveries(trx, waits)
    const ids = rows.filter((row) => !withJob.has(row.id)).map(({ id }) => id)
    return { looked: rows.length, renewed: ids.length > 0 ? await renewDeliveryJobs(trx, ids) : [] }
  })
  await queues.enqueueDeliveries(renewed)
  return { looked, renewed: renewed.length }
}

async function sweepStrandedMedia({ db, queues }: Context) {
  const { looked, renewed } = await db.transaction(async (trx) => {
    const rows = await lockOverdueMedia(trx, OVERDUE_MS, BATCH)
    const withJob = await queues.existingJobs('fetch-media', rows)
    const ids = rows.map(({ id }) => id)
    await postponeMedia(
      trx,
      ids.filter((id) => withJob.has(id)),
      LOOK_AGAIN_MS,
    )
    const lost = ids.filter((id) => !withJob.has(id))
    return { looked: rows.length, renewed: lost.length > 0 ? await renewMediaJobs(trx, lost) : [] }
  })
  await queues.enqueueMedia(renewed)
  return { looked, renewed: renewed.length }
}
