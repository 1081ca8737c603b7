import type { Message } from '../../database/messages/message.js'
import {
  failCancelled,
  failExpired,
  releaseScheduled,
  reschedule,
} from '../../database/messages/scheduling.js'
import { UserError } from '../../errors.js'
import { record } from '../operating/audit.js'
import type { Context } from '../context.js'
import { getMessage } from './get-message.js'
import { requireInOrder, requireNear } from './send-options.js'
import { givePlacesBack } from './send/give-places-back.js'
import { countOutcome, tellFailed } from './send/send-outcome.js'

/**
 * Ends a message that waits for its time or its turn. One that was cancelled before stays cancelled.
 *
 * @throws UserError 404, 409 if it no longer waits
 */
export async function cancelMessage(context: Context, userId: string, id: string): Promise<Message> {
  const message = await getMessage(context, userId, id)
  if (message.error === 'cancelled') return message
  const ended = await failCancelled(context.db, { userId, id: message.id }, (trx) =>
    record(context, trx, { action: 'message.cancelled', subjectId: message.id, userId }),
  )
  if (ended === undefined) throw await explain(context, userId, id, 'cancelled')
  countOutcome({ kind: 'failed', error: 'cancelled' })
  void context.queues.enqueueNext(ended)
  void givePlacesBack(context, ended.left)
  return getMessage(context, userId, id)
}

/**
 * Gives a message another time, while no carrier was asked to send it; a time in the past means immediately.
 *
 * @throws UserError 400, 404, 409 if it is too late
 */
export async function rescheduleMessage(
  context: Context,
  userId: string,
  id: string,
  sendAt: Date,
): Promise<Message> {
  requireNear(sendAt, Date.now())
  const before = await getMessage(context, userId, id)
  if (before.expiresAt !== null) requireInOrder(sendAt, before.expiresAt)
  const moved = await reschedule(context.db, { userId, id: before.id, sendAt }, (trx) =>
    record(context, trx, {
      action: 'message.rescheduled',
      subjectId: before.id,
      userId,
      before: { sendAt: before.sendAt?.toISOString() ?? null },
      after: { sendAt: sendAt.toISOString() },
    }),
  )
  if (moved === undefined) throw await explain(context, userId, id, 'rescheduled')
  void context.queues.enqueueMessages(moved.requeued)
  void givePlacesBack(context, moved.left)
  return getMessage(context, userId, id)
}

/** Explains the refusal by the message's current state. */
async function explain(context: Context, userId: string, id: string, what: string): Promise<UserError> {
  const { direction, status } = await getMessage(context, userId, id)
  if (direction === 'inbound') return new UserError(`A received message cannot be ${what}`, 409)
  return new UserError(
    status === 'queued'
      ? `This message cannot be ${what} now. It is being sent, or its line has too many scheduled messages`
      : `Only a scheduled or queued message can be ${what}. It is ${status}`,
    409,
  )
}

/**
 * Each batch is a transaction that locks the lines of its messages, and other messages on them wait in the meantime.
 */
const BATCH = 500

/**
 * Queues due messages, and ends expired ones. There is no job for a message that is scheduled, so there is none that
 * Redis could lose; and while Redis is unavailable nothing is queued, because nothing could be sent.
 *
 * @returns the number of messages queued
 */
export async function releaseDue(context: Context): Promise<number> {
  const { db, queues, log, redis } = context
  await inBatches(async () => {
    const { failed, ...settled } = await failExpired(db, BATCH)
    tellFailed(context, failed, 'expired')
    void queues.enqueueNext(settled)
    void givePlacesBack(context, settled.left)
    return failed.length
  })
  if (redis.status !== 'ready') return 0
  let count = 0
  await inBatches(async () => {
    const { failed, looked, ...released } = await releaseScheduled(db, BATCH)
    tellFailed(context, failed, 'disconnected')
    await queues.enqueueNext(released)
    count += released.requeued.length
    return looked
  })
  if (count > 0) log.info({ count }, 'message.released')
  return count
}

async function inBatches(doBatch: () => Promise<number>): Promise<void> {
  while ((await doBatch()) === BATCH);
}
