import { setTimeout as sleep } from 'node:timers/promises'
import { DelayedError, UnrecoverableError, type Job } from 'bullmq'
import type { Context } from '../src/domain/context.js'
import { CRASH_WAIT_MS } from '../src/domain/crashes.js'
import { asError, Unavailable } from '../src/errors.js'
import { isOfLaterVersion, UnreadableJob } from '../src/queues/jobs.js'
import { jobCrashes, jobDuration } from '../src/telemetry/metrics.js'
import { runIsolated } from './run-isolated.js'
import { RunIsolated, TryAgainIn, type WorkerStory } from './worker-story.js'

/** Without this pause, every slot of every worker would keep asking a store that is just coming back, at full speed. */
const UNAVAILABLE_PAUSE_MS = 500
/** A job from a later release waits this long, because the workers that can read it are still being rolled out. */
const UNKNOWN_VERSION_WAIT_MS = 60_000

/**
 * Runs a job of a worker.
 *
 * A job never fails because of the outside world: the row in Postgres says what comes next, and the job only carries
 * its id. (A job that no worker can read does fail, permanently.) So a handler ends in one of three ways: it is done;
 * it throws TryAgainIn and the job is moved to that moment, without using up an attempt; or something unexpected
 * happens. In the last case, an unreachable Postgres or Redis holds the job for a moment (and with it the worker's
 * slot, so that a whole worker pauses), and anything else counts as a crash of that row (`crashed`), which is dead
 * after a few.
 *
 * A worker that is killed loses its locks after 10 s; its jobs run again elsewhere, and the claim in Postgres decides
 * whether there is still something to do. That is why a job may stall any number of times.
 */
export async function runJob<Data>(
  context: Context,
  story: WorkerStory<Data>,
  job: Job,
  token: string,
): Promise<void> {
  let data: Data
  try {
    data = story.payload(job.data)
  } catch (error) {
    if (!(error instanceof UnreadableJob)) throw error
    jobDuration.observe({ queue: story.queue, outcome: 'unreadable' }, 0)
    context.log.error({ jobId: job.id, fault: error.message }, 'job.unknown_payload')
    if (isOfLaterVersion(job.data)) return putOff(job, token, UNKNOWN_VERSION_WAIT_MS)
    // No worker will ever read this job. Its row, if there is one, gets another job from the sweep.
    throw new UnrecoverableError(`nobody can read this job: ${error.message}`)
  }
  const startedAt = performance.now()
  const count = (outcome: JobOutcome) => {
    jobDuration.observe({ queue: story.queue, outcome }, (performance.now() - startedAt) / 1000)
  }
  try {
    await story.handle(context, data, (percent) => job.updateProgress(percent))
    count('done')
  } catch (error) {
    count(outcomeOf(error))
    await putOff(job, token, await waitAfter(error, context, story, data))
  }
}

type JobOutcome = 'done' | 'again' | 'unavailable' | 'crashed' | 'unreadable'

function outcomeOf(error: unknown): JobOutcome {
  if (error instanceof TryAgainIn || error instanceof RunIsolated) return 'again'
  return error instanceof Unavailable ? 'unavailable' : 'crashed'
}

async function waitAfter<Data>(
  error: unknown,
  context: Context,
  story: WorkerStory<Data>,
  data: Data,
): Promise<number> {
  if (error instanceof TryAgainIn) return error.ms
  if (error instanceof RunIsolated) return runIsolated(context, story, data)
  if (error instanceof Unavailable) {
    context.log.warn({ err: asError(causeOf(error)) }, 'worker.paused')
    await sleep(UNAVAILABLE_PAUSE_MS)
    return Math.round(Math.random() * UNAVAILABLE_PAUSE_MS)
  }
  context.log.error({ err: asError(error) }, 'job.crashed')
  jobCrashes.inc({ queue: story.queue })
  await story.crashed?.(context, data).catch(() => undefined)
  return CRASH_WAIT_MS
}

function causeOf(error: unknown): unknown {
  return error instanceof Unavailable ? (error.cause ?? error) : error
}

async function putOff(job: Job, token: string, ms: number): Promise<never> {
  await job.moveToDelayed(Date.now() + ms, token)
  throw new DelayedError()
}
