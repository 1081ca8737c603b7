import { Worker, type Job, type WorkerOptions } from 'bullmq'
import { MAX_BLOCK_SECONDS } from '../src/kit/redis/redis.js'

/**
 * The jobs that a worker takes before it has begun those that it took earlier. With fewer, short jobs would wait for Redis
 * one by one. With more, a slow Redis would take too long to answer for all of them.
 */
const TAKEN_AHEAD = 16

/**
 * BullMQ's worker, made to begin what it has taken.
 *
 * BullMQ takes jobs one by one until it has as many as it may work on at the same time, and only then begins the first. Where
 * Redis needs 50 ms to answer, 200 jobs take 10 s. Their locks are over by then, so they are put back before anything was done, and
 * taken again, for as long as there are as many. So the worker may work on only a little more than is under way.
 */
export class PromptWorker extends Worker<unknown> {
  #underWay = 0

  constructor(
    queue: string,
    run: (job: Job, token: string) => Promise<void>,
    { concurrency: limit, ...options }: WorkerOptions & { concurrency: number },
  ) {
    const concurrencyNow = () => Math.min(limit, this.#underWay + TAKEN_AHEAD)
    super(
      queue,
      async (job, token) => {
        this.#underWay += 1
        this.concurrency = concurrencyNow()
        try {
          await run(job, token ?? '')
        } finally {
          this.#underWay -= 1
          this.concurrency = concurrencyNow()
        }
      },
      { ...options, concurrency: Math.min(limit, TAKEN_AHEAD) },
    )
  }

  /** With delayed jobs BullMQ would wait up to 10 s, and notice only then that Redis no longer answers. */
  override get maximumBlockTimeout(): number {
    return MAX_BLOCK_SECONDS
  }
}
