import { available } from '../../database/connection.js'
import { restartDelivery } from '../../database/deliveries/reading.js'
import { UserError } from '../../errors.js'
import type { Context } from '../context.js'
import { getDelivery, type DeliveryWithAttempts } from './read.js'

/**
 * A person's new attempt: a new round of the retry schedule under the same webhook-id. While the endpoint is
 * disabled or its connection is off, the delivery is held.
 *
 * @throws UserError 404, 409 while it is under way
 */
export async function sendDeliveryAgain(
  context: Context,
  userId: string,
  id: string,
): Promise<DeliveryWithAttempts> {
  await getDelivery(context, userId, id)
  const restarted = await available(() => restartDelivery(context.db, userId, id))
  if (restarted === undefined) {
    throw new UserError('this delivery is under way: it can be sent again when its attempts are over', 409)
  }
  void context.queues.enqueueDeliveries([restarted])
  return getDelivery(context, userId, id)
}
