import { transaction } from '../../../database/connection.js'
import { makeDeliveryDue } from '../../../database/endpoints/deliveries/making-due.js'
import type { Delivery } from '../../../database/endpoints/deliveries/delivery.js'
import { restartDelivery } from '../../../database/endpoints/deliveries/reading.js'
import { advanceTask, type ClaimedTask } from '../../../database/operating/tasks.js'
import { FORGOTTEN } from '../../../database/people/forgotten.js'
import { UserError } from '../../../errors.js'
import type { Context } from '../../context.js'
import { isMediaFailure } from '../../media/failures.js'
import { findActivity, type ActivityFilter } from '../../messages/activity.js'
import type { Batch } from '../../operating/tasks/batch.js'
import { addTask, type Task } from '../../operating/tasks.js'

export const MAX_RETRIED = 5000
/** A user is waiting while they are found. Each page looks through as many rows as one of the list, in about 50 ms. */
const MAX_PAGES = 10
const PAGE_SIZE = 500
/** This many are retried per second, about as fast as a person could follow. */
const BATCH = 50

/**
 * The deliveries in the task's row. They are found once, so that the task does what was shown and nothing that came
 * later, and so that no number and no text of the filter stays in its row.
 */
interface Asked {
  deliveryIds: string[]
}

/**
 * True if a user may have it retried without waiting: it failed, and is over, held, or waits for its next attempt. If
 * its person was forgotten, there is nothing to send, and if its receiver is gone, there is nowhere to send it.
 */
export function mayRetry(delivery: RetriedState): boolean {
  const { status, lastFailure, fromNumber, endpointPausedAt } = delivery
  if (fromNumber === FORGOTTEN || !delivery.hasReceiver) return false
  // Without a copy of its media there is nothing to send.
  if (status === 'held') return !isMediaFailure(lastFailure)
  return status === 'exhausted' || (status === 'pending' && lastFailure !== null && endpointPausedAt === null)
}

type RetriedState = Pick<
  Delivery,
  'status' | 'lastFailure' | 'fromNumber' | 'endpointPausedAt' | 'hasReceiver'
>

export interface StartedRetry {
  task: Task
  /** True if there may be older ones that match: only the newest messages were searched. */
  isLookedThroughInPart: boolean
  /** True if older ones match, or may: a task takes only `MAX_RETRIED`. */
  isFull: boolean
}

/**
 * Starts a background task that retries everything undelivered that matches the filter, oldest first; the newest if they are
 * too many.
 *
 * @throws UserError 409 if nothing is undelivered, or too many tasks are under way
 */
export async function startRetry(
  context: Context,
  userId: string,
  filter: ActivityFilter,
): Promise<StartedRetry> {
  const ids = new Set<string>()
  let isLookedThroughInPart = false
  let isMore = false
  for (const narrow of narrowed(filter)) {
    const found = await findUndelivered(context, userId, narrow)
    for (const id of found.ids) ids.add(id)
    isLookedThroughInPart ||= found.isLookedThroughInPart
    isMore ||= found.isMore
  }
  if (ids.size === 0) throw new UserError(isLookedThroughInPart ? NONE_SO_FAR : NONE, 409)
  const asked: Asked = { deliveryIds: [...ids].sort().slice(-MAX_RETRIED) }
  const lineId = filter.lineId ?? null
  const totalCount = asked.deliveryIds.length
  const task = await addTask(
    context,
    { kind: 'retry', userId, lineId, applicationId: null, asked, totalCount },
    { action: 'events.replayed', subjectId: lineId, userId, after: { count: totalCount } },
  )
  return { task, isLookedThroughInPart, isFull: isMore || ids.size > totalCount }
}

const NONE = 'No undelivered event matches this filter'
const NONE_SO_FAR =
  'No undelivered event matches this filter among the newest messages. Choose a status or an earlier time'

const UNDELIVERED = ['exhausted', 'held', 'pending'] as const

function isUndelivered(status: string | undefined): boolean {
  return UNDELIVERED.some((each) => each === status)
}

/**
 * Without a state almost everything matches, and a long history would be read for a few events. Those that are over or
 * held have an index, and so do those that failed for one reason.
 */
function narrowed(filter: ActivityFilter): ActivityFilter[] {
  if (filter.status !== undefined || filter.reason !== undefined) return [filter]
  return UNDELIVERED.map((status) => ({ ...filter, status }))
}

async function findUndelivered(context: Context, userId: string, filter: ActivityFilter) {
  const ids: string[] = []
  let before: string | undefined
  for (let count = 0; count < MAX_PAGES; count++) {
    const page = { limit: PAGE_SIZE, ...(before === undefined ? {} : { before }) }
    const { activities, older } = await findActivity(context, userId, filter, page)
    const fitting = activities
      .flatMap(({ deliveries }) => deliveries)
      .filter((each) => mayRetry(each) && (!isUndelivered(filter.status) || each.status === filter.status))
    ids.push(...fitting.map(({ id }) => id))
    if (older === null || ids.length >= MAX_RETRIED) {
      return { ids, isLookedThroughInPart: false, isMore: older !== null }
    }
    before = older
  }
  return { ids, isLookedThroughInPart: true, isMore: false }
}

/**
 * Retries the next deliveries of such a task (`tasks/run.ts`). One that is under way, or has been delivered or
 * forgotten since, or whose receiver is gone, is left alone.
 */
export async function retryBatch({ db, queues }: Context, task: ClaimedTask): Promise<Batch> {
  const { deliveryIds } = task.asked as Asked
  const { userId } = task
  if (userId === null) throw new Error('A retry requires the owner')
  const ids = deliveryIds.slice(task.doneCount, task.doneCount + BATCH)
  const due = await transaction(db, async (trx) => {
    const found = []
    for (const id of ids) {
      found.push(
        (await restartDelivery(trx, userId, id, ['exhausted', 'held'])) ??
          (await makeDeliveryDue(trx, userId, id)),
      )
    }
    await advanceTask(trx, task, { position: task.position, doneCount: ids.length })
    return found.filter((each) => each !== undefined)
  })
  await queues.enqueueDeliveries(due)
  return { count: ids.length, isLast: task.doneCount + ids.length >= deliveryIds.length, waitMs: 1000 }
}
