import { setTimeout as sleep } from 'node:timers/promises'
import type { Context } from '../src/domain/context.js'
import { openContext } from '../src/domain/open-context.js'
import { warnOfSharedRedis } from '../src/domain/operating/shared-redis.js'
import { warmUp } from '../src/domain/warm-up.js'
import { asError } from '../src/errors.js'
import { QUEUE_PREFIX } from '../src/queues/queues.js'
import { connectRedis, MAX_BLOCK_SECONDS, requireDurableRedis, whenReady } from '../src/kit/redis/redis.js'
import { closeOnSignal } from '../src/kit/process/shutdown.js'
import { openMetrics } from '../src/telemetry/metrics-server.js'
import { closeTraces, openTraces } from '../src/telemetry/traces.js'
import { jobCrashes } from '../src/telemetry/metrics.js'
import { isolatedJob } from './isolated-job.js'
import { runIsolatedJob } from './run-isolated.js'
import { PromptWorker } from './prompt-worker.js'
import { runJob } from './run-job.js'
import type { WorkerStory } from './worker-story.js'

/** The jobs of a killed worker run again after about 10 s. With BullMQ's defaults it takes 60 s (measured). */
const LOCK_MS = 10_000
/**
 * The interval between checks for lost locks. With a longer one, the jobs of a killed worker lie idle. With a shorter
 * one, all workers load Redis for nothing.
 */
const STALLED_CHECK_MS = 5000
/** This is less than the process's own deadline, because Redis and Postgres are closed after it. */
const DRAIN_MS = 20_000

/**
 * Starts the process of a worker, or, if it was started for one job, runs only that.
 *
 * @param extras what the process does besides its jobs, and has to end before it closes
 */
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
  void warnOfSharedRedis(context)

  const concurrency = story.concurrency(context)
  const worker = new PromptWorker(story.queue, (job, token) => runJob(context, story, job, token), {
    connection,
    prefix: QUEUE_PREFIX,
    concurrency,
    lockDuration: LOCK_MS,
    stalledInterval: STALLED_CHECK_MS,
    maxStalledCount: Number.MAX_SAFE_INTEGER,
    drainDelay: MAX_BLOCK_SECONDS,
    // It uses INFO, and where that is not allowed, it would retry forever without a pause.
    skipVersionCheck: true,
    removeOnComplete: { count: 0 },
  })
  // Its connections report their own errors; a lost lock is harmless, because the row's claim decides.
  worker.on('error', (error) => {
    log.debug({ err: error }, 'worker.error')
  })
  const extra = extras(context)
  log.info(story.limits?.(context) ?? { concurrency }, 'process.started')

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
