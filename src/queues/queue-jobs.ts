import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'

/** The contents of a queue in Redis. */
export interface QueueJobs {
  waiting: number
  active: number
  delayed: number
  /** Failed jobs are kept for operators: those that no worker could read, and those of rows that were given up. */
  failed: number
  /** The processes that take its jobs; null if this Redis does not list its clients. */
  workers: number | null
}

/** @throws Error if Redis does not answer */
export async function readQueueJobs(queue: Queue, redis: Redis): Promise<QueueJobs> {
  // BullMQ would wait for a connection that is down.
  if (redis.status !== 'ready') throw new Error('Redis is not connected')
  const [counts, workers] = await Promise.all([
    queue.getJobCounts('wait', 'active', 'delayed', 'failed'),
    countWorkers(queue, redis),
  ])
  const { wait = 0, active = 0, delayed = 0, failed = 0 } = counts
  return { waiting: wait, active, delayed, failed, workers }
}

/**
 * BullMQ recognizes workers by the names of their connections, in any database; another database may belong to
 * another installation.
 */
async function countWorkers(queue: Queue, redis: Redis): Promise<number | null> {
  const clients = await queue.getWorkers().catch((error: unknown) => {
    if (IS_REFUSED.test(String(error))) return undefined
    throw error
  })
  if (clients === undefined || clients.some(({ db }) => db === undefined)) return null
  return clients.filter(({ db }) => db === String(redis.options.db ?? 0)).length
}

/** Managed Redis services may not allow CLIENT LIST. */
const IS_REFUSED = /NOPERM|unknown (sub)?command/i
