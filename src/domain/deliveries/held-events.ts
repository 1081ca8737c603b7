import { releaseHeldDeliveries } from '../../database/deliveries/creating.js'
import { UserError } from '../../errors.js'
import { aboutEndpoint, record } from '../audit.js'
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
 * @param furtherId left out: those of the outgoing webhook URL
 * @returns how many
 * @throws UserError 409 when the connection is not enabled, or its endpoint was disabled again
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
  const count = await releaseHeldEvents(context, endpointId)
  if (count > 0) {
    const act = { action: 'line.held_events.sent', subjectId: lineId, userId } as const
    await record(context, context.db, { ...act, ...aboutEndpoint(furtherId), after: { count } })
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
