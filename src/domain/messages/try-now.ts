import {
  countWaitingForCarrier,
  makeMessageDue,
  makeMessagesDue,
} from '../../database/messages/requeueing.js'
import { makeMediaDue } from '../../database/media/reading.js'
import type { Message } from '../../database/messages/message.js'
import { UserError } from '../../errors.js'
import type { Context } from '../context.js'
import { getOwnLine } from '../lines/lines.js'
import { getMessage } from './get-message.js'

/** A user is waiting for the answer, and messages wait for the locks of a batch. */
const AT_ONCE = 500

/** Counting a line's messages stops here. */
export const MAX_WAITING_COUNTED = 1000

/**
 * Tries a message now that waits for the next try of its carrier, or for that of copying its media; a received one waits
 * for the latter only. Windows, pauses and earlier messages to the same number still apply.
 *
 * @throws UserError 404, 409 if it does not wait for a time
 */
export async function tryMessageNow(context: Context, userId: string, id: string): Promise<Message> {
  await getMessage(context, userId, id)
  const due = await makeMessageDue(context.db, userId, id)
  const media = due === undefined ? await makeMediaDue(context.db, userId, id) : []
  if (due === undefined && media.length === 0) {
    throw new UserError(
      'This message is not waiting for a retry. It is waiting for its turn or for a pause to end, or has left the queue',
      409,
    )
  }
  if (due !== undefined) void context.queues.enqueueMessages([due])
  void context.queues.enqueueMedia(media)
  return getMessage(context, userId, id)
}

/**
 * Does the same as `tryMessageNow` for all messages of a line.
 *
 * @returns their number
 * @throws UserError 404
 */
export async function tryLineMessagesNow(context: Context, userId: string, lineId: string): Promise<number> {
  await getOwnLine(context, userId, lineId)
  return tryWaitingForCarrier(context, lineId)
}

/** Tries the messages of a line that wait for the next try of their carrier. */
export async function tryWaitingForCarrier({ db, queues }: Context, lineId: string): Promise<number> {
  let count = 0
  for (;;) {
    const due = await makeMessagesDue(db, lineId, AT_ONCE)
    void queues.enqueueMessages(due)
    count += due.length
    if (due.length < AT_ONCE) return count
  }
}

/** Counts a line's messages that wait until the carrier is tried again; the caller has checked whose line it is. */
export function countMessagesToTry({ db }: Context, lineId: string): Promise<number> {
  return countWaitingForCarrier(db, lineId, MAX_WAITING_COUNTED + 1)
}
