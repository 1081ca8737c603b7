import { restartDelivery } from '../../../database/endpoints/deliveries/reading.js'
import { listMediaOf } from '../../../database/media/fetching.js'
import { restartMedia } from '../../../database/media/reading.js'
import { UserError } from '../../../errors.js'
import type { Context } from '../../context.js'
import { isMediaFailure } from '../../media/failures.js'
import { requireRemembered } from '../../people/forgotten.js'
import { getDelivery, type DeliveryWithAttempts } from './delivery-history.js'

/**
 * Sends a delivery again for a user: it gets a new round of the retry schedule, with the same webhook-id. While the
 * endpoint is disabled or its connection is off, the delivery is held. If it is held because its media could not be
 * copied, they are copied again.
 *
 * @throws UserError 404, 409 while it is under way, or if its receiver is gone or its person was forgotten
 */
export async function sendDeliveryAgain(
  context: Context,
  userId: string,
  id: string,
): Promise<DeliveryWithAttempts> {
  const { status, lastFailure, messageId, fromNumber, ...delivery } = await getDelivery(context, userId, id)
  requireRemembered(fromNumber)
  if (!delivery.hasReceiver) {
    throw new UserError(delivery.applicationId === null ? IS_DELETED : IS_DISCONNECTED, 409)
  }
  if (status === 'held' && messageId !== null && isMediaFailure(lastFailure)) {
    return copyAgain(context, userId, id, messageId)
  }
  const restarted = await restartDelivery(context.db, userId, id)
  if (restarted === undefined) {
    throw new UserError(
      'This delivery is still in progress. You can resend it when its attempts are over',
      409,
    )
  }
  void context.queues.enqueueDeliveries([restarted])
  return getDelivery(context, userId, id)
}

const IS_DELETED = 'The endpoint was deleted, so this event can no longer be sent to it'
const IS_DISCONNECTED =
  'The application is no longer connected to the line, so this event can no longer be sent to it'

const HAS_NO_MEDIA =
  'The carrier sent these media inside its request, and they could not be used. There is nothing left to copy'
const IS_BEING_COPIED =
  'The media are still being copied. The event is sent automatically once the copy is ready'

/**
 * Without a copy of its media there is nothing to send. They are copied again, which releases the deliveries that are
 * held for them.
 */
async function copyAgain(
  context: Context,
  userId: string,
  id: string,
  messageId: string,
): Promise<DeliveryWithAttempts> {
  const restarted = await restartMedia(context.db, userId, messageId)
  if (restarted.length === 0) {
    const isOver = (await listMediaOf(context.db, messageId)).every(({ status }) => status === 'failed')
    throw new UserError(isOver ? HAS_NO_MEDIA : IS_BEING_COPIED, 409)
  }
  void context.queues.enqueueMedia(restarted)
  return getDelivery(context, userId, id)
}
