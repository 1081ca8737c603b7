import {
  countHeldDeliveries,
  releaseHeldDeliveries,
} from '../../../database/endpoints/deliveries/creating.js'
import { transaction } from '../../../database/connection.js'
import { advanceTask, type ClaimedTask } from '../../../database/operating/tasks.js'
import { record } from '../../operating/audit.js'
import type { Context } from '../../context.js'
import { addTask } from '../../operating/tasks.js'
import type { Batch } from '../../operating/tasks/batch.js'
import { FIRST_ID } from '../../../ids.js'
import { endpointAct, getEndpoint, requireTaking, type EndpointCaller } from '../get-endpoint.js'

/**
 * A user is waiting for the answer, and smaller batches take longer in total. Larger ones hold the locks of their rows
 * for longer, and deliveries wait for those. More events than this are a background task.
 */
export const RELEASE_BATCH = 500

/**
 * Sends the events that were held while the endpoint was disabled: immediately, or as a background task if there are
 * many. Each is tried once: an event that is held again stays held.
 *
 * @returns their number
 * @throws UserError 404, 409 if the line's connection is not enabled, the endpoint is disabled, or too many tasks are
 *   under way
 */
export async function sendHeldEvents(context: Context, caller: EndpointCaller, id: string): Promise<number> {
  const { db, queues } = context
  const endpoint = await getEndpoint(context, caller, id)
  const { userId, lineId, applicationId } = endpoint
  await requireTaking(context, endpoint)
  const endpointId = endpoint.id
  const count = await countHeldDeliveries(db, endpointId)
  if (count > RELEASE_BATCH) {
    const whose = { userId, lineId, applicationId }
    const task = { kind: 'held_events' as const, ...whose, asked: { endpointId }, totalCount: count }
    await addTask(context, task, endpointAct(endpoint, 'endpoint.held_events.sent', { after: { count } }))
    return count
  }
  let releasedCount = 0
  // A batch is full if more events were held since they were counted.
  for (let after = FIRST_ID; ;) {
    const released = await transaction(db, async (trx) => {
      const batch = await releaseHeldDeliveries(trx, endpointId, after, RELEASE_BATCH)
      if (batch.length > 0) {
        const details = { after: { count: batch.length } }
        await record(context, trx, endpointAct(endpoint, 'endpoint.held_events.sent', details))
      }
      return batch
    })
    await queues.enqueueDeliveries(released)
    releasedCount += released.length
    const last = released.at(-1)
    if (last === undefined || released.length < RELEASE_BATCH) return releasedCount
    after = last.id
  }
}

/** Releases the next batch of such a task (`tasks/run.ts`). */
export async function releaseHeldBatch({ db, queues }: Context, task: ClaimedTask): Promise<Batch> {
  const { endpointId } = task.asked as { endpointId: string }
  const released = await transaction(db, async (trx) => {
    const batch = await releaseHeldDeliveries(trx, endpointId, task.position, RELEASE_BATCH)
    const position = batch.at(-1)?.id ?? task.position
    await advanceTask(trx, task, { position, doneCount: batch.length })
    return batch
  })
  await queues.enqueueDeliveries(released)
  return { count: released.length, isLast: released.length < RELEASE_BATCH, waitMs: 0 }
}
