import { Worker, type Job, type WorkerOptions } from 'bullmq'
import { MAX_BLOCK_SECONDS } from '../src/kit/redis/redis.js'

/**
 * How long a worker may take jobs before it begins those that it has. A nearby Redis gives it as many as it may work on
 * in less time, and jobs that begin together share their statements (measured: 1,250 texts a second, and 690 if each
 * job begins as soon as it is taken).
 */
const TAKING_MS = 250

/**
 * BullMQ's worker, made to begin what it has taken.
 *
 * BullMQ takes jobs one by one until it has as many as it may work on at the same time, and only then begins the first. Where
 * Redis needs 50 ms to answer, 200 jobs take 10 s. Their locks have expired by then, so they are put back before any has begun, and
 * taken again, for as long as so many wait.
 */
export class PromptWorker extends Worker<unknown> {
  /** The ids of the jobs that have been taken and have not begun. */
  readonly #taken = new Set<string | undefined>()
  /** When the first of them was taken, by `performance.now()`. */
  #takingSince = 0

  constructor(
    queue: string,
    run: (job: Job, token: string) => Promise<void>,
    options: WorkerOptions & { concurrency: number },
  ) {
    super(
      queue,
      (job, token) => {
        this.#isBegun(job.id)
        return run(job, token ?? '')
      },
      options,
    )
    this.on('active', ({ id }) => {
      if (this.#taken.size === 0) this.#takingSince = performance.now()
      this.#taken.add(id)
      // It then takes no more until all of these have begun. Those that are under way continue.
      if (performance.now() - this.#takingSince > TAKING_MS) this.concurrency = 1
    })
    // A job that fails before it begins must not be waited for.
    this.on('failed', (job) => {
      this.#isBegun(job?.id)
    })
  }

  #isBegun(id: string | undefined): void {
    this.#taken.delete(id)
    if (this.#taken.size === 0) this.concurrency = this.opts.concurrency ?? 1
  }

  /** With delayed jobs BullMQ would wait up to 10 s, and notice only then that Redis no longer answers. */
  override get maximumBlockTimeout(): number {
    return MAX_BLOCK_SECONDS
  }
}
