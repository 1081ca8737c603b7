import { releaseHeldDeliveries } from '../../database/deliveries/creating.js'
import { UserError } from '../../errors.js'
import { record } from '../audit.js'
import { requireEnabled } from '../connection-requirements.js'
import type { Context } from '../context.js'

/**
 * A person waits for the answer, and smaller batches take longer in all. Larger ones hold the locks of their rows longer,
 * which deliveries wait for.
 */
const RELEASE_BATCH = 500
const FIRST_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Sends the events that were held while the endpoint was disabled. Each is tried once: an event that is held again
 * stays held.
 *
 * @returns how many
 * @throws UserError 409 when the connection is not enabled, or its endpoint was disabled again
 */
export async function sendHeldEvents(context: Context, userId: string, lineId: string): Promise<number> {
  const { endpointId, endpointDisabledAt } = await requireEnabled(context.db, userId, lineId)
  if (endpointId === null) return 0
  if (endpointDisabledAt !== null) {
    throw new UserError('the endpoint is disabled, because it failed: enable the connection again first', 409)
  }
  const count = await releaseHeldEvents(context, endpointId)
  if (count > 0) {
    const act = { action: 'line.held_events.sent', subjectId: lineId, userId } as const
    await record(context, context.db, { ...act, after: { count } })
  }
  return count
}

/** Releases the held events of an endpoint that takes events. @returns how many */
export async function releaseHeldEvents({ db, queues }: Context, endpointId: string): Promise<number> {
  let count = 0
  for (let after = FIRST_ID; ;) {
    const released = await releaseHeldDeliveries(db, endpointId, after, RELEASE_BATCH)
    await queues.enqueueDeliveries(released)
    count += released.length
    const last = released.at(-1)
    if (last === undefined || released.length < RELEASE_BATCH) return count
    after = last.id
  }
}
