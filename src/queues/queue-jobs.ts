import type { Queue } from 'bullmq'
import type { Redis } from 'ioredis'
import { IS_REFUSED } from '../kit/redis/redis-facts.js'
import { jobIdOf } from './jobs.js'

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

/**
 * Returns which of these rows have a job that will run. A job that is still delayed is made to start now.
 *
 * @throws what ioredis throws if Redis does not answer
 */
export async function findExistingJobs(
  queue: Queue,
  redis: Redis,
  rows: readonly { id: string; generation: number }[],
): Promise<Set<string>> {
  const pipeline = redis.pipeline()
  for (const { id, generation } of rows) {
    const jobId = jobIdOf(id, generation)
    pipeline.hexists(queue.toKey(jobId), 'data')
    // Failed jobs are kept for operators to look at; no worker takes them.
    pipeline.zscore(queue.toKey('failed'), jobId)
    pipeline.zscore(queue.toKey('delayed'), jobId)
  }
  const answers = (await pipeline.exec()) ?? []
  const failure = answers.find(([error]) => error)?.[0]
  if (failure) throw failure
  const found = rows.map(({ id, generation }, index) => {
    const [data, failedAt, delayedUntil] = answers.slice(3 * index, 3 * index + 3).map(([, answer]) => answer)
    return { id, generation, isComing: data === 1 && failedAt === null, isDelayed: delayedUntil != null }
  })
  await Promise.all(
    found
      .filter(({ isDelayed }) => isDelayed)
      .map(({ id, generation }) => promote(queue, jobIdOf(id, generation))),
  )
  return new Set(found.filter(({ isComing }) => isComing).map(({ id }) => id))
}

/** A job that is no longer delayed is already being processed. */
async function promote(queue: Queue, jobId: string): Promise<void> {
  const job = await queue.getJob(jobId)
  await job?.promote().catch(() => undefined)
}
