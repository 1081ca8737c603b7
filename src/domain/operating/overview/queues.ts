import { readOnly } from '../../../database/operating/overview/reading.js'
import { findRates } from '../../../database/operating/overview/traffic-counts.js'
import {
  readDeliveryRows,
  readMediaRows,
  readMessageRows,
  type QueueRows,
} from '../../../database/operating/overview/queues.js'
import { readQueueJobs, type QueueJobs } from '../../../queues/queue-jobs.js'
import type { QueueName } from '../../../queues/queues.js'
import { countOf } from './figures.js'
import { judgeQueue, type Judgement } from './judge-queue.js'
import type { Context } from '../../context.js'

export { MAX_WAITING } from '../../../database/operating/overview/queues.js'

/** A queue for display. Fields that do not apply, or are unknown, are null. */
export interface QueueView extends Judgement {
  name: QueueName
  waitingCount: number | null
  laterCount: number | null
  underWayCount: number | null
  oldestMs: number | null
  perMinute: number | null
  workers: number | null
  jobs: QueueJobs | null
}

const NO_ROWS = { waitingCount: null, laterCount: null, underWayCount: null, oldestMs: null, perMinute: null }

/** The depth and the age are those of the rows. Redis contributes only the jobs and the workers that exist. */
export async function readQueues({ db, queues, redis }: Context): Promise<QueueView[]> {
  const jobsOf = Promise.all(
    [queues.sendMessage, queues.deliverEvent, queues.fetchMedia, queues.maintenance].map((queue) =>
      // Another part reports what is wrong with Redis.
      readQueueJobs(queue, redis).catch(() => undefined),
    ),
  )
  const { rates, messages, deliveries, media } = await readOnly(db, async (trx) => ({
    rates: await findRates(trx),
    messages: await readMessageRows(trx),
    deliveries: await readDeliveryRows(trx),
    media: await readMediaRows(trx),
  }))
  const [sendJobs, deliverJobs, fetchJobs, maintenanceJobs] = await jobsOf
  const slow = deliveries.slowLaneCount
  return [
    view('send-message', ['message', 'messages'], messages, rates.handedOver, sendJobs),
    view('deliver-event', ['event', 'events'], deliveries, rates.attempts, deliverJobs, {
      more:
        slow === 0
          ? ''
          : ` ${countOf(slow, 'endpoint accepts', 'endpoints accept')} events more slowly than they arrive.`,
    }),
    view('fetch-media', ['copy', 'copies'], media, media.storedLastMinute, fetchJobs),
    {
      name: 'maintenance',
      ...NO_ROWS,
      workers: maintenanceJobs?.workers ?? null,
      jobs: maintenanceJobs ?? null,
      ...judgeMaintenance(maintenanceJobs, rates.countedAt),
    },
  ]
}

function view(
  name: QueueName,
  nouns: readonly [one: string, many: string],
  rows: QueueRows,
  perMinute: number | null,
  jobs: QueueJobs | undefined,
  { more = '' } = {},
): QueueView {
  const { waitingCount, laterCount, underWayCount, oldestMs } = rows
  const facts = { waitingCount, laterCount, underWayCount, oldestMs, perMinute }
  const { state, why } = judgeQueue({ ...facts, process: name, nouns, jobs })
  return { name, ...facts, workers: jobs?.workers ?? null, jobs: jobs ?? null, state, why: why + more }
}

/** Its work is timed, not queued. That minutes get counted shows that it is running. */
function judgeMaintenance(jobs: QueueJobs | undefined, countedAt: Date | null): Judgement {
  if (jobs?.workers === 0) {
    return {
      state: 'stuck',
      why: 'No `maintenance` process is running. Start one. Without it, lost jobs are not recovered and charts do not update.',
    }
  }
  if (countedAt === null) {
    return {
      state: 'behind',
      why: 'It has recorded nothing in the last minute. Check the log of `maintenance`.',
    }
  }
  return { state: 'normal', why: 'Recovers lost jobs and updates charts.' }
}
