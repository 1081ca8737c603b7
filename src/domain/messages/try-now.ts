import { hurryMessage } from '../../database/messages/requeueing.js'
import type { Message } from '../../database/messages/message.js'
import { UserError } from '../../errors.js'
import type { Context } from '../context.js'
import { getMessage } from './get-message.js'

/**
 * A message that waits until the carrier is tried again is tried now. Windows, pauses and earlier messages to the same number
 * hold as ever.
 *
 * @throws UserError 404, 409 when it does not wait for a time
 */
export async function tryMessageNow(context: Context, userId: string, id: string): Promise<Message> {
  await getMessage(context, userId, id)
  const hurried = await hurryMessage(context.db, userId, id)
  if (hurried === undefined) {
    throw new UserError(
      'this message does not wait for a time: it waits for its turn or a pause to end, or is not queued any more',
      409,
    )
  }
  void context.queues.enqueueMessages([hurried])
  return getMessage(context, userId, id)
}
