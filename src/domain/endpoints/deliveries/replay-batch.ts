import { FIRST_ID } from '../../../ids.js'
import { transaction } from '../../../database/connection.js'
import { countReplayable, replayDeliveries } from '../../../database/endpoints/replaying.js'
import { advanceTask, setTaskTotal, type ClaimedTask } from '../../../database/operating/tasks.js'
import type { Context } from '../../context.js'
import type { Batch } from '../../operating/tasks/batch.js'
import {
  findSource,
  MAX_COUNTED,
  type AskedReplay,
  type ReplayOf,
  type ReplaySource,
} from './replay-source.js'
import { postBatch } from './replay-to-url.js'

/**
 * Runs the next batch of a replay (`tasks/run.ts`).
 *
 * @throws UserError if it cannot continue
 */
export async function replayBatch(context: Context, task: ClaimedTask): Promise<Batch> {
  const asked = task.asked as AskedReplay
  const source = await findSource(context, whoseOf(task, asked), asked)
  if (task.totalCount === null) await setTaskTotal(context.db, task, await countAll(context, source))
  return asked.url === undefined
    ? restartBatch(context, task, source, asked)
    : postBatch(context, task, source, { ...asked, url: asked.url })
}

/** The request was allowed when it was made; the source checks whether the endpoint and the line still exist. */
function whoseOf(
  { lineId, applicationId, userId }: ClaimedTask,
  { of, endpointId, isByApplication = false }: AskedReplay,
): ReplayOf {
  if (of === 'all') return { of }
  if (userId === null) throw new Error('A replay for one owner requires the owner')
  if (of === 'endpoint') {
    if (endpointId === undefined) throw new Error('A replay of an endpoint requires its ID')
    const caller = isByApplication && applicationId !== null ? { applicationId } : { userId }
    return { of, caller, endpointId, userId, lineId: lineId ?? undefined }
  }
  if (lineId === null) throw new Error('A replay of a line requires its ID')
  return { of, userId, lineId }
}

/** Counts in parts: one statement for all of them could take longer than a statement may. */
async function countAll({ db }: Context, { filter, to }: ReplaySource): Promise<number> {
  let total = 0
  for (let afterId = FIRST_ID; ;) {
    const { count, lastId } = await countReplayable(db, filter, to, { afterId, limit: MAX_COUNTED })
    total += count
    if (lastId === null || count < MAX_COUNTED) return total
    afterId = lastId
  }
}

/** Gives a second's worth of deliveries a new round of attempts. */
async function restartBatch(
  { db, queues }: Context,
  task: ClaimedTask,
  { filter }: ReplaySource,
  { perSecond }: AskedReplay,
): Promise<Batch> {
  const deliveries = await transaction(db, async (trx) => {
    const replayed = await replayDeliveries(trx, filter, {
      taskId: task.id,
      afterId: task.position,
      limit: perSecond,
    })
    const position = replayed.at(-1)?.id ?? task.position
    await advanceTask(trx, task, { position, doneCount: replayed.length })
    return replayed
  })
  await queues.enqueueDeliveries(deliveries)
  return { count: deliveries.length, isLast: deliveries.length < perSecond, waitMs: 1000 }
}
