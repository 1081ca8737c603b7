import {
  ClaimLost,
  claimTask,
  endTask,
  putOffTask,
  recordTaskCrash,
  releaseTask,
  type ClaimedTask,
  type TaskKind,
} from '../../../database/operating/tasks.js'
import { tookTooLong } from '../../../database/outage.js'
import { Unavailable, UserError } from '../../../errors.js'
import { importBatch } from '../../carriers/accounts/import-task.js'
import type { Context } from '../../context.js'
import { CRASH_WAIT_MS, MAX_CRASHES } from '../../crashes.js'
import { replayBatch } from '../../endpoints/deliveries/replay-batch.js'
import { retryBatch } from '../../endpoints/deliveries/retry-filtered.js'
import { queueListBatch } from '../../messages/text-list/task.js'
import { releaseHeldBatch } from '../../endpoints/deliveries/held-events.js'
import { LEASE_MS } from '../../leases.js'
import type { Batch } from './batch.js'

/**
 * Each does one batch and records the progress in the same transaction (`advanceTask`), so that a process that dies
 * neither loses a batch nor does it twice. Effects outside of Postgres may happen twice. A UserError ends the task as
 * failed.
 */
const BATCHES: Record<TaskKind, (context: Context, task: ClaimedTask) => Promise<Batch>> = {
  replay: replayBatch,
  held_events: releaseHeldBatch,
  retry: retryBatch,
  import: importBatch,
  text_list: queueListBatch,
}

/**
 * A process that lost its claim checks after this time whether the other one has continued, and one that has to leave
 * another task its turn, whether that has had it.
 */
const OTHER_CLAIM_MS = 1000

/** Postgres may have been busy just then. */
const SLOW_WAIT_MS = 60_000

const CRASHED = 'It failed unexpectedly. Check the log of `maintenance`'
const TOO_SLOW =
  'Postgres took too long for the same part of it each time. Check the load of Postgres, or start a smaller task'
const LOST = 'Its process ended unexpectedly each time. Check the memory and the log of `maintenance`'

/**
 * Does the next batch of a task. If several processes try, only one does it, because it claims the task in Postgres. An
 * unexpected error counts as a crash of the task, and the end of its process, which no code here sees, as a loss, when
 * its lease has run out. A statement that takes too long counts as a crash too, because it probably will the next time.
 * After a few of either in a row the task is given up. A process that is asked to stop gives the task back.
 *
 * @param showProgress gets the percentage
 * @returns the milliseconds until the next batch is due; undefined if it is over
 */
export async function continueTask(
  context: Context,
  id: string,
  showProgress: (percent: number) => Promise<void>,
): Promise<number | undefined> {
  const task = await claimTask(context.db, id, LEASE_MS.tasks)
  if (task === undefined) return undefined
  if ('inMs' in task) return task.inMs > 0 ? task.inMs : OTHER_CLAIM_MS
  const giveBack = () => void putOffTask(context.db, task, 0).catch(() => undefined)
  // It may have been asked to stop while it claimed the task.
  if (context.closing.aborted) {
    giveBack()
    return OTHER_CLAIM_MS
  }
  context.closing.addEventListener('abort', giveBack)
  return context.leases.tasks.during(task, async () => {
    const startedAt = performance.now()
    try {
      const stopped = whyStopped(task)
      if (stopped !== undefined) {
        await end(context, task, { status: 'stopped', error: stopped })
        return undefined
      }
      if (task.lostCount >= MAX_CRASHES) {
        await end(context, task, { status: 'failed', error: LOST })
        return undefined
      }
      const batch = await BATCHES[task.kind](context, task)
      const ending = endingAfter(batch)
      if (ending !== undefined) {
        await end(context, task, ending)
        return undefined
      }
      // Redis may have lost the job, and that is no fault of the task.
      await showProgress(percentOf(task, batch.count)).catch(() => undefined)
      const waitMs = Math.max(0, Math.ceil(batch.waitMs - (performance.now() - startedAt)))
      await releaseTask(context.db, task, waitMs)
      return waitMs
    } catch (error) {
      if (error instanceof ClaimLost) return OTHER_CLAIM_MS
      if (error instanceof UserError) {
        await end(context, task, { status: 'failed', error: error.message })
        return undefined
      }
      // If this cannot be recorded, the task continues when its lease is over.
      await recordFault(context, task, error).catch(() => undefined)
      throw error
    } finally {
      context.closing.removeEventListener('abort', giveBack)
    }
  })
}

async function recordFault(context: Context, task: ClaimedTask, error: unknown): Promise<void> {
  const { db } = context
  const isSlow = tookTooLong(error)
  if (error instanceof Unavailable && !isSlow) return putOffTask(db, task, CRASH_WAIT_MS)
  const [waitMs, why] = isSlow ? [SLOW_WAIT_MS, TOO_SLOW] : [CRASH_WAIT_MS, CRASHED]
  if (await recordTaskCrash(db, task, MAX_CRASHES, waitMs, why)) logEnd(context, task, 'failed')
}

/** Returns the reason why there is no next batch; undefined if it continues. */
function whyStopped({ isOwnerDisabled, isStopAsked }: ClaimedTask): string | undefined {
  if (isOwnerDisabled) return 'The user is disabled'
  return isStopAsked ? 'Stopped manually' : undefined
}

interface Ending {
  status: 'done' | 'stopped' | 'failed'
  /** The reason why it ended before it was done. */
  error: string | null
}

/** @returns undefined if there is more to do */
function endingAfter(batch: Batch): Ending | undefined {
  if (batch.error !== undefined) return { status: 'failed', error: batch.error }
  return batch.isLast ? { status: 'done', error: null } : undefined
}

async function end(context: Context, task: ClaimedTask, { status, error }: Ending): Promise<void> {
  if (await endTask(context.db, task, status, error)) logEnd(context, task, status)
}

function logEnd({ log }: Context, { id: taskId, kind }: ClaimedTask, status: Ending['status']): void {
  log.info({ taskId, kind, status }, 'task.ended')
}

function percentOf({ totalCount, doneCount, failedCount }: ClaimedTask, count: number): number {
  if (totalCount === null || totalCount === 0) return 0
  return Math.min(100, Math.floor((100 * (doneCount + failedCount + count)) / totalCount))
}
