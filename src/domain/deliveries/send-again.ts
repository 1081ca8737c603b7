import { restartDelivery } from '../../database/deliveries/reading.js'
import { restartMedia } from '../../database/media/reading.js'
import { UserError } from '../../errors.js'
import type { Context } from '../context.js'
import { isMediaFailure } from '../media/failures.js'
import { getDelivery, type DeliveryWithAttempts } from './delivery-history.js'

/**
 * A person's new attempt: a new round of the retry schedule under the same webhook-id. While the endpoint is
 * disabled or its connection is off, the delivery is held. One that is held for want of its media has them copied
 * anew.
 *
 * @throws UserError 404, 409 while it is under way
 */
export async function sendDeliveryAgain(
  context: Context,
  userId: string,
  id: string,
): Promise<DeliveryWithAttempts> {
  const { status, lastFailure, messageId } = await getDelivery(context, userId, id)
  if (status === 'held' && messageId !== null && isMediaFailure(lastFailure)) {
    return copyAgain(context, userId, id, messageId)
  }
  const restarted = await restartDelivery(context.db, userId, id)
  if (restarted === undefined) {
    throw new UserError('this delivery is under way: it can be sent again when its attempts are over', 409)
  }
  void context.queues.enqueueDeliveries([restarted])
  return getDelivery(context, userId, id)
}

/** Without a copy of its media there is nothing to send: that is made anew, and brings what is held for it. */
async function copyAgain(
  context: Context,
  userId: string,
  id: string,
  messageId: string,
): Promise<DeliveryWithAttempts> {
  const restarted = await restartMedia(context.db, userId, messageId)
  if (restarted === undefined) {
    throw new UserError('its media are being copied: it is sent by itself when there is a copy', 409)
  }
  void context.queues.enqueueMedia([restarted])
  return getDelivery(context, userId, id)
}
