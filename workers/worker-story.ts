import type { Context } from '../src/domain/context.js'
import type { HotFunction } from '../src/domain/warm-up.js'
import type { ReadJob } from '../src/queues/jobs.js'
import type { QueueName } from '../src/queues/queues.js'

/** What is particular to a worker: its queue, and what its jobs do. */
export interface WorkerStory<Data> {
  queue: QueueName
  payload: ReadJob<Data>
  concurrency: (context: Context) => number
  /** What the log counts as the work that the process does at a time; defaults to its jobs. */
  limits?: (context: Context) => Record<string, number>
  handle: (context: Context, data: Data, showProgress: (percent: number) => Promise<void>) => Promise<void>
  /** The functions that its jobs call in Postgres; they are planned before the first job. */
  hotFunctions?: readonly HotFunction[]
  /** Called when a handler throws an unexpected error. */
  crashed?: (context: Context, data: Data) => Promise<void>
}

/** Thrown if the job is to come back later, although nothing went wrong. */
export class TryAgainIn extends Error {
  override name = 'TryAgainIn'

  constructor(readonly ms: number) {
    super(`try again in ${ms} ms`)
  }
}

/**
 * Thrown if the job may have ended its process, or merely ran beside the one that did. It is tried in a separate
 * process.
 */
export class RunIsolated extends Error {
  override name = 'RunIsolated'
}
