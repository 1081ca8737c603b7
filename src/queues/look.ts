import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'

/** What Redis has of a queue. */
export interface QueueJobs {
  waiting: number
  active: number
  delayed: number
  /** Jobs that nobody could read, or of rows that were given up: kept for operators. */
  failed: number
  /** Processes that take its jobs; null: this Redis does not tell who is connected. */
  workers: number | null
}

/** @throws Error when Redis does not answer */
export async function lookAtQueue(queue: Queue, redis: Redis): Promise<QueueJobs> {
  // Asked of a connection that is down, BullMQ would wait for it.
  if (redis.status !== 'ready') throw new Error('Redis is not connected')
  const [counts, workers] = await Promise.all([
    queue.getJobCounts('wait', 'active', 'delayed', 'failed'),
    countWorkers(queue, redis),
  ])
  const { wait = 0, active = 0, delayed = 0, failed = 0 } = counts
  return { waiting: wait, active, delayed, failed, workers }
}

/** BullMQ knows workers by the names of their connections, in whichever database: another may be of other people. */
async function countWorkers(queue: Queue, redis: Redis): Promise<number | null> {
  const clients = await queue.getWorkers().catch((error: unknown) => {
    if (IS_REFUSED.test(String(error))) return undefined
    throw error
  })
  if (clients === undefined || clients.some(({ db }) => db === undefined)) return null
  return clients.filter(({ db }) => db === String(redis.options.db ?? 0)).length
}

/** Services that run a Redis for others may keep CLIENT LIST to themselves. */
const IS_REFUSED = /NOPERM|unknown (sub)?command/i
