import { setTimeout as sleep } from 'node:timers/promises'
import { DelayedError, UnrecoverableError, Worker, type Job } from 'bullmq'
import type { Context } from '../src/domain/context.js'
import { MAX_TIMEOUT_SECONDS } from '../src/domain/endpoints/policy-fields.js'
import { openContext } from '../src/domain/open-context.js'
import { CRASH_WAIT_MS } from '../src/domain/crashes.js'
import { warmUp, type HotFunction } from '../src/domain/warm-up.js'
import { asError, Unavailable } from '../src/errors.js'
import { isOfLaterVersion, UnreadableJob, type ReadJob } from '../src/queues/jobs.js'
import { QUEUE_PREFIX, type QueueName } from '../src/queues/queues.js'
import { connectRedis, MAX_BLOCK_SECONDS, requireDurableRedis, whenReady } from '../src/kit/redis/redis.js'
import { closeOnSignal } from '../src/kit/process/shutdown.js'
import { openMetrics } from '../src/telemetry/metrics-server.js'
import { closeTraces, openTraces } from '../src/telemetry/traces.js'
import { jobCrashes, jobDuration } from '../src/telemetry/metrics.js'
import { crashesIsolated, isolatedJob } from './isolated-job.js'

/**
 * This is how every worker runs its jobs.
 *
 * A job never fails because of the outside world: the row in Postgres says what comes next, and the job only carries
 * its id. (A job that no worker can read does fail, permanently.) So a handler ends in one of three ways: it is done;
 * it throws TryAgainIn and the job is moved to that moment, without using up an attempt; or something unexpected
 * happens. In the last case, an unreachable Postgres or Redis holds the job for a moment (and with it the worker's
 * slot, so that a whole worker pauses), and anything else counts as a crash of that row (`crashed`), which is dead
 * after a few.
 *
 * A worker that is killed loses its locks after 10 s; its jobs run again elsewhere, and the claim in Postgres decides
 * whether there is still something to do. That is why a job may stall as often as it likes.
 */
export interface WorkerStory<Data> {
  queue: QueueName
  payload: ReadJob<Data>
  concurrency: (context: Context) => number
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
 * Thrown if the job may have ended its process, or was only beside the one that did. It is tried in a separate
 * process.
 */
export class RunIsolated extends Error {
  override name = 'RunIsolated'
}

/** The jobs of a killed worker run again after about 10 s. With BullMQ's defaults it takes 60 s (measured). */
const LOCK_MS = 10_000
/**
 * The interval between checks for lost locks. With a longer one the jobs of a killed worker lie idle. With a shorter
 * one all workers load Redis for nothing.
 */
const STALLED_CHECK_MS = 5000
/**
 * Without this pause, all slots of all workers would ask a store that is just coming back, again and again, at full
 * speed.
 */
const UNAVAILABLE_PAUSE_MS = 500
/** A job of a later release waits this long: the workers that can read it are just being rolled out. */
const UNKNOWN_VERSION_WAIT_MS = 60_000
/**
 * Only one job at a time runs in a separate process. The others are tried again after this time: starting a process
 * takes a second.
 */
const ISOLATED_WAIT_MS = 5000
/** This is less than the process's own deadline, because Redis and Postgres are closed after it. */
const DRAIN_MS = 20_000

/** With delayed jobs BullMQ would wait up to 10 s, and notice only then that Redis no longer answers. */
class ShortBlockingWorker<Data> extends Worker<Data> {
  override get maximumBlockTimeout(): number {
    return MAX_BLOCK_SECONDS
  }
}

export async function startWorker<Data>(
  story: WorkerStory<Data>,
  extras: (context: Context) => { close: () => Promise<unknown> } | undefined = () => undefined,
): Promise<void> {
  const job = isolatedJob()
  if (job !== undefined) return runIsolatedJob(story, job)

  const context = openContext(story.queue)
  const { log, config } = context
  await openMetrics(story.queue, config)
  await openTraces(story.queue, config, log)
  // An alert looks at this counter, so it has to begin with 0.
  jobCrashes.inc({ queue: story.queue }, 0)
  const connection = connectRedis(config.redisUrl, 'wait', log, config.redisSentinels)
  await Promise.all([
    whenReady(connection),
    whenReady(context.redis),
    warmUp(context, story.hotFunctions ?? []),
  ])
  try {
    await requireDurableRedis(connection, log)
  } catch (error) {
    process.stderr.write(`${asError(error).message}\n`)
    process.exit(1)
  }

  const worker = new ShortBlockingWorker<unknown>(
    story.queue,
    (job, token) => run(context, story, job, token ?? ''),
    {
      connection,
      prefix: QUEUE_PREFIX,
      concurrency: story.concurrency(context),
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_CHECK_MS,
      maxStalledCount: Number.MAX_SAFE_INTEGER,
      drainDelay: MAX_BLOCK_SECONDS,
      removeOnComplete: { count: 0 },
    },
  )
  // Its connections report their own errors; a lost lock is harmless, because the row's claim decides.
  worker.on('error', (error) => {
    log.debug({ err: error }, 'worker.error')
  })
  const extra = extras(context)
  log.info({ concurrency: worker.opts.concurrency }, 'process.started')

  closeOnSignal(log, [
    {
      name: 'worker',
      close: () =>
        Promise.race([
          Promise.all([extra?.close(), worker.close()]),
          sleep(DRAIN_MS, undefined, { ref: false }),
        ]),
    },
    { name: 'traces', close: closeTraces },
    { name: 'connections', close: () => context.close() },
  ])
}

/** Runs in a process that exists for one job. It ends with 0 unless the crash is the row's fault. */
async function runIsolatedJob<Data>(story: WorkerStory<Data>, job: unknown): Promise<never> {
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

async function run<Data>(context: Context, story: WorkerStory<Data>, job: Job, token: string): Promise<void> {
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

let isIsolating = false

async function runIsolated<Data>(context: Context, story: WorkerStory<Data>, data: Data): Promise<number> {
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

function causeOf(error: unknown): unknown {
  return error instanceof Unavailable ? (error.cause ?? error) : error
}

async function putOff(job: Job, token: string, ms: number): Promise<never> {
  await job.moveToDelayed(Date.now() + ms, token)
  throw new DelayedError()
}
