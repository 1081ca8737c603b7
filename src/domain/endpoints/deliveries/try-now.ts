import { makeDeliveriesDue, makeDeliveryDue } from '../../../database/endpoints/deliveries/making-due.js'
import { UserError } from '../../../errors.js'
import type { Context } from '../../context.js'
import { getEndpoint, requireTaking, type EndpointCaller } from '../get-endpoint.js'
import { getDelivery, type DeliveryWithAttempts } from './delivery-history.js'

/** A user is waiting for the answer, and deliveries wait for the locks of a batch. */
const AT_ONCE = 500

const IS_PAUSED = 'Events to this URL are paused. Resume them first'

/**
 * Makes the next attempt of a waiting delivery now. It is one of the attempts that the delivery has: the schedule
 * continues from there.
 *
 * @throws UserError 404, 409 if it waits for no attempt, or its endpoint is paused or takes no events
 */
export async function tryDeliveryNow(
  context: Context,
  userId: string,
  id: string,
): Promise<DeliveryWithAttempts> {
  const { endpointPausedAt, endpointDisabledAt, lineId, applicationId } = await getDelivery(
    context,
    userId,
    id,
  )
  if (endpointPausedAt !== null) throw new UserError(IS_PAUSED, 409)
  await requireTaking(context, {
    userId,
    lineId: applicationId === null ? lineId : null,
    disabledAt: endpointDisabledAt,
  })
  const due = await makeDeliveryDue(context.db, userId, id)
  if (due === undefined) {
    throw new UserError(
      'This delivery is not waiting for a retry. An attempt is running, or there are no attempts left',
      409,
    )
  }
  void context.queues.enqueueDeliveries([due])
  return getDelivery(context, userId, id)
}

/**
 * Does the same for all deliveries that wait for their next attempt at the endpoint.
 *
 * @returns their number
 * @throws UserError 404, 409 if it is paused or takes no events
 */
export async function tryEndpointNow(context: Context, caller: EndpointCaller, id: string): Promise<number> {
  const { db, queues } = context
  const endpoint = await getEndpoint(context, caller, id)
  if (endpoint.pausedAt !== null) throw new UserError(IS_PAUSED, 409)
  await requireTaking(context, endpoint)
  let count = 0
  for (;;) {
    const due = await makeDeliveriesDue(db, endpoint.id, AT_ONCE)
    // One job wakes the lane, which takes due deliveries in order.
    if (count === 0) void queues.enqueueDeliveries(due)
    count += due.length
    if (due.length < AT_ONCE) return count
  }
}
