import { UserError } from '../errors.js'
import type { QueueName } from '../queues/queues.js'
import type { Context } from './context.js'
import { getAnyDelivery } from './endpoints/deliveries/delivery-history.js'
import { tryDeliveryNow } from './endpoints/deliveries/try-now.js'
import { getAnyMessage } from './messages/get-message.js'
import { tryMessageNow } from './messages/try-now.js'

/**
 * Tries a job's message or delivery now, if it is waiting for a time, for an operator who promotes the job.
 *
 * @param id the id of the message or the delivery
 */
export async function tryJobNow(context: Context, queue: QueueName, id: string): Promise<void> {
  try {
    if (queue === 'send-message') await tryMessageNow(context, (await getAnyMessage(context, id)).userId, id)
    if (queue === 'deliver-event')
      await tryDeliveryNow(context, (await getAnyDelivery(context, id)).userId, id)
  } catch (error) {
    // It waits for something else, or is gone.
    if (!(error instanceof UserError)) throw error
  }
}
