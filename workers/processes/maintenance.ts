import type { DueWork } from '../../src/database/operating/due-work.js'
import type { Context } from '../../src/domain/context.js'
import { pollPhones } from '../../src/domain/carriers/accounts/phones.js'
import { createDueWork } from '../../src/domain/due-work.js'
import { guardCountries } from '../../src/domain/messages/country-guard.js'
import { runHousekeeping } from '../../src/domain/operating/housekeeping.js'
import { sendMails } from '../../src/domain/operating/notices/dispatch.js'
import { notifyOfTroubles } from '../../src/domain/operating/notices/watch.js'
import { catchUp } from '../../src/domain/messages/catch-up.js'
import { releaseDue } from '../../src/domain/messages/scheduling.js'
import { pollPrices } from '../../src/domain/messages/spending/prices.js'
import { reconcile } from '../../src/domain/messages/reconcile.js'
import { endOnDisabledLines } from '../../src/domain/messages/send/end-on-disabled-lines.js'
import { enqueueResumed } from '../../src/domain/messages/resume.js'
import { createWaking } from '../../src/domain/messages/send/recovery.js'
import { sendSimulatedReceipts } from '../../src/domain/simulator/simulator.js'
import { watchSharedRedis } from '../../src/domain/operating/shared-redis.js'
import { applyRetention } from '../../src/domain/operating/retention/retention.js'
import {
  recountMinutes,
  countNewestMinutes,
  createBackfill,
} from '../../src/domain/operating/overview/count-minutes.js'
import { initSweepCounters, sweep, SWEPT } from '../../src/domain/sweep.js'
import { continueTask } from '../../src/domain/operating/tasks/run.js'
import { every } from '../../src/kit/process/every.js'
import { maintenanceJob } from '../../src/queues/jobs.js'
import { scheduleMaintenance } from '../../src/queues/schedules.js'
import { onceADay } from '../once-a-day.js'
import { startWorker } from '../start-worker.js'
import { TryAgainIn } from '../worker-story.js'

/** What is lost in Redis is found within seconds: a row counts as stranded after 3 s (`domain/sweep.ts`). */
const SWEEP_MS = 1000
/**
 * After a FLUSHALL, housekeeping is scheduled again within this time. It is never urgent, and each check asks Redis.
 */
const SCHEDULE_CHECK_MS = 5000
/**
 * The pause between checks whether carriers have to be asked. Postgres says which ones; each is asked only every few
 * minutes.
 */
const POLL_CHECK_MS = 10_000
/** The line of a stolen webhook sends 30 messages a minute, unless its limit was raised. */
const COUNTRY_CHECK_MS = 10_000
/** The pause between the parts of work that is too much for one run, so that housekeeping gets its turn. */
const RETENTION_PAUSE_MS = 60_000
/**
 * The pause between counts of the newest minutes of the overview's charts, and of those that may have changed since
 * or were never counted.
 */
const COUNT_MS = 10_000
const COUNT_AGAIN_MS = 15_000
/** A fault is reported within this time, plus the patience that its kind has. */
const TROUBLE_CHECK_MS = 15_000
const SHARED_REDIS_CHECK_MS = 15_000
/** Housekeeping gets a slot beside batches of background tasks, one of which may wait for a URL that hangs. */
const TASKS_AT_ONCE = 8

const runRetention = onceADay('retention', deleteOld)

/**
 * Maintenance is the work that no request triggers.
 *
 * The sweep runs by a timer, not by a job: it repairs what Redis has lost, so Redis must not be able to lose it.
 * Housekeeping that may be late runs by job schedulers, where operators see it. Missing schedulers are created again. A
 * background task (`domain/operating/tasks/run.ts`) is a job that comes back for each batch and shows its progress.
 */
await startWorker(
  {
    queue: 'maintenance',
    payload: maintenanceJob,
    concurrency: () => TASKS_AT_ONCE,
    handle: async (context, { task, id }, showProgress) => {
      if (task === 'background' && id !== undefined) {
        const inMs = await continueTask(context, id, showProgress)
        if (inMs !== undefined) throw new TryAgainIn(inMs)
      } else if (task === 'retention') await runRetention(context)
      else await runHousekeeping(context)
    },
  },
  (context) => {
    const stopping = new AbortController()
    initSweepCounters()
    let isStart = true
    const due = createDueWork(context)
    const regularly = (everyMs: number, what: string, work: (context: Context) => Promise<unknown>) =>
      every(everyMs, () => work(context), context.log, what)
    const whenDue = (what: DueWork, work: (context: Context) => Promise<unknown>) =>
      regularly(SWEEP_MS, what, async () => (await due(what)).length > 0 && work(context))
    const timers = [
      regularly(SWEEP_MS, 'sweep', async () => sweep(context, await due(...SWEPT))),
      // Each has a timer of its own: a carrier or mail server that hangs holds up nothing else.
      whenDue('unknown messages', reconcile),
      whenDue('scheduled messages', releaseDue),
      whenDue('resumptions', enqueueResumed),
      whenDue('disabled lines', endOnDisabledLines),
      whenDue('recovered accounts', createWaking()),
      whenDue('mails', () => sendMails(context, stopping.signal)),
      ...(context.config.simulator ? [whenDue('simulated receipts', sendSimulatedReceipts)] : []),
      regularly(POLL_CHECK_MS, 'catching up', async () => {
        await catchUp(context, { isStart, signal: stopping.signal })
        isStart = false
      }),
      regularly(POLL_CHECK_MS, 'asking for prices', () => pollPrices(context, stopping.signal)),
      regularly(POLL_CHECK_MS, 'asking how phones are', () => pollPhones(context, stopping.signal)),
      regularly(COUNTRY_CHECK_MS, 'guarding countries', guardCountries),
      regularly(COUNT_MS, 'counting', countNewestMinutes),
      regularly(COUNT_AGAIN_MS, 'counting again', recountMinutes),
      regularly(COUNT_AGAIN_MS, 'catching up with counting', createBackfill(context)),
      regularly(TROUBLE_CHECK_MS, 'looking for notices', notifyOfTroubles),
      regularly(SHARED_REDIS_CHECK_MS, 'looking who uses Redis', watchSharedRedis),
      regularly(SCHEDULE_CHECK_MS, 'schedules', ({ queues }) => scheduleMaintenance(queues)),
    ]
    return {
      close: () => {
        stopping.abort()
        return Promise.all(timers.map((timer) => timer.stop()))
      },
    }
  },
)

/** One process does it, because there is one job. */
async function deleteOld(context: Context): Promise<void> {
  const { months, ...counts } = await applyRetention(context)
  for (const { kind, month, outcome, why } of months) {
    context.log.info({ kind, month, why }, outcome === 'dropped' ? 'retention.dropped' : 'retention.kept')
  }
  context.log.info(counts, 'retention.done')
  if (counts.hasMore) throw new TryAgainIn(RETENTION_PAUSE_MS)
}
