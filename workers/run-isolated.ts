import type { Context } from '../src/domain/context.js'
import { MAX_TIMEOUT_SECONDS } from '../src/domain/endpoints/policy-fields.js'
import { openContext } from '../src/domain/open-context.js'
import { asError, Unavailable } from '../src/errors.js'
import { whenReady } from '../src/kit/redis/redis.js'
import { jobCrashes } from '../src/telemetry/metrics.js'
import { crashesIsolated } from './isolated-job.js'
import { TryAgainIn, type WorkerStory } from './worker-story.js'

/**
 * Only one job at a time runs in a separate process. The others are retried after this time: starting a process takes a
 * second.
 */
const ISOLATED_WAIT_MS = 5000
let isIsolating = false

/**
 * Runs a job in a separate process, and counts its crash.
 *
 * @returns the milliseconds until this job, or another one that waits for this, is tried again
 */
export async function runIsolated<Data>(
  context: Context,
  story: WorkerStory<Data>,
  data: Data,
): Promise<number> {
  if (isIsolating) return ISOLATED_WAIT_MS
  isIsolating = true
  try {
    context.log.warn({ queue: story.queue, job: data }, 'job.runs_alone')
    const { mediaTimeoutMs, carrierTimeoutMs, deliveryTimeoutMs } = context.config
    const endpointMs = Math.max(deliveryTimeoutMs, MAX_TIMEOUT_SECONDS * 1000)
    const longestCallMs = Math.max(mediaTimeoutMs, carrierTimeoutMs, endpointMs)
    if (await crashesIsolated(story.queue, data, longestCallMs)) {
      jobCrashes.inc({ queue: story.queue })
      await story.crashed?.(context, data)
    }
  } catch (error) {
    // No process could be started, or its crash could not be recorded. The job stays, so that it is tried again.
    context.log[error instanceof Unavailable ? 'warn' : 'error']({ err: asError(error) }, 'job.not_isolated')
  } finally {
    isIsolating = false
  }
  return ISOLATED_WAIT_MS
}

/** Runs the job for which this process exists. It ends with 0 unless the crash is the row's fault. */
export async function runIsolatedJob<Data>(story: WorkerStory<Data>, job: unknown): Promise<never> {
  const context = openContext(story.queue, { isAlone: true })
  process.on('disconnect', () => process.exit(0))
  let exitCode = 0
  try {
    await whenReady(context.redis)
    await story.handle(context, story.payload(job), () => Promise.resolve())
  } catch (error) {
    if (!(error instanceof TryAgainIn || error instanceof Unavailable)) {
      context.log.error({ err: asError(error) }, 'job.crashed')
      exitCode = 1
    }
  }
  await context.close()
  process.exit(exitCode)
}
