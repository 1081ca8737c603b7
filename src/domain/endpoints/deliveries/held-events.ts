import {
  countHeldDeliveries,
  releaseHeldDeliveries,
} from '../../../database/endpoints/deliveries/creating.js'
import { advanceWork, type ClaimedWork } from '../../../database/operating/works.js'
import { UserError } from '../../../errors.js'
import { aboutEndpoint, record, type Act } from '../../operating/audit.js'
import { requireEnabled } from '../../lines/connection-requirements.js'
import type { Context } from '../../context.js'
import { addWork } from '../../operating/works.js'
import type { Batch } from '../../operating/works/batch.js'
import { FIRST_ID } from '../../../ids.js'

/**
 * A person waits for the answer, and smaller batches take longer in all. Larger ones hold the locks of their rows longer,
 * which deliveries wait for. More events than this are a long work.
 */
export const RELEASE_BATCH = 500

/**
 * Sends the events that were held while the endpoint was disabled. Each is tried once: an event that is held again
 * stays held.
 *
 * @param furtherId left out: those of the outgoing webhook URL
 * @returns how many
 * @throws UserError 409 when the connection is not enabled, its endpoint was disabled again, or too many works are under way
 */
export async function sendHeldEvents(
  context: Context,
  userId: string,
  lineId: string,
  furtherId?: string,
): Promise<number> {
  const connection = await requireEnabled(context.db, userId, lineId, { endpointId: furtherId })
  const { endpointId, endpointDisabledAt } = connection
  if (endpointId === null) return 0
  if (endpointDisabledAt !== null) {
    const what = furtherId === undefined ? 'the connection' : 'it'
    throw new UserError(`the endpoint is disabled, because it failed: enable ${what} again first`, 409)
  }
  const act = {
    action: 'line.held_events.sent',
    subjectId: lineId,
    userId,
    ...aboutEndpoint(furtherId),
  } as const
  return releaseHeldEvents(context, endpointId, { userId, lineId, applicationId: null }, act)
}

/** Releases the held events of an endpoint that takes events: at once, or as a long work if they are many. @returns how many */
export async function releaseHeldEvents(
  context: Context,
  endpointId: string,
  whose: { userId: string; lineId: string | null; applicationId: string | null },
  act: Act,
): Promise<number> {
  const { db, queues } = context
  const count = await countHeldDeliveries(db, endpointId)
  if (count > RELEASE_BATCH) {
    const work = { kind: 'held_events' as const, ...whose, asked: { endpointId }, totalCount: count }
    await addWork(context, work, { ...act, after: { count } })
    return count
  }
  const released = await releaseHeldDeliveries(db, endpointId, FIRST_ID, RELEASE_BATCH)
  await queues.enqueueDeliveries(released)
  if (released.length > 0) await record(context, db, { ...act, after: { count: released.length } })
  return released.length
}

/** The next batch of such a work (`works/run.ts`). */
export async function releaseHeldBatch({ db, queues }: Context, work: ClaimedWork): Promise<Batch> {
  const { endpointId } = work.asked as { endpointId: string }
  const released = await db.transaction(async (trx) => {
    const batch = await releaseHeldDeliveries(trx, endpointId, work.position, RELEASE_BATCH)
    const position = batch.at(-1)?.id ?? work.position
    await advanceWork(trx, work, { position, doneCount: batch.length })
    return batch
  })
  await queues.enqueueDeliveries(released)
  return { count: released.length, isLast: released.length < RELEASE_BATCH, waitMs: 0 }
}
