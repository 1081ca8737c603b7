import type { Message } from '../../database/messages/message.js'
import type { QueueRequest } from '../../database/messages/queueing.js'
import { UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { sha256 } from '../../secrets.js'
import type { Context } from '../context.js'
import { getOwnLine } from '../lines/lines.js'
import { outboundMedia } from '../media/hosting.js'
import { requireRemembered } from '../people/forgotten.js'
import { countForCaps } from './spending/spend-caps.js'
import { getMessage } from './get-message.js'
import { queueAndRead } from './post.js'
import { isBacklogFull } from './submit/backlog.js'
import { refusalOfKey } from './submit/refusals.js'
import { readDestination } from './submit/destination.js'

/**
 * Resends, for a user, a message that failed or whose outcome is unknown. This makes a new message with the same number
 * and content. It waits for its turn like every other; the worker checks whether the number has opted out.
 *
 * @param key names this one request: if it comes twice with the same key, only one message is sent
 * @throws UserError 404, 409 if the message did not fail or its line is disabled, 403 if the line may not send there,
 *   429 if a cap is reached or too many of the line's messages wait
 * @throws Unavailable if Postgres is, or too many messages wait in all
 */
export async function sendMessageAgain(
  context: Context,
  userId: string,
  id: string,
  key: string,
  source: 'api' | 'console',
): Promise<Message> {
  const ofKey = refusalOfKey(key)
  if (ofKey !== undefined) throw ofKey
  const message = await getMessage(context, userId, id)
  if (message.direction !== 'outbound' || !['failed', 'unknown'].includes(message.status)) {
    throw new UserError('Only a failed or unknown message can be resent', 409)
  }
  requireRemembered(message.toNumber)
  const line = await getOwnLine(context, userId, message.lineId)
  if (line.status !== 'active') throw new UserError('This line is disabled. Enable it first', 409)
  readDestination({ ...line, lineNumber: line.number }, message.toNumber)
  const request: QueueRequest = {
    messageId: newId(),
    lineId: line.id,
    source,
    toNumber: message.toNumber,
    text: message.text,
    segmentCount: await countForCaps(context, line, message.text),
    // The media are copied again: the first copy may have failed, or be gone by now.
    media: message.mediaUrls.map(outboundMedia),
    againOf: id,
    carrierOptions: message.carrierOptions ?? undefined,
    isBacklogFull: await isBacklogFull(context),
    idempotency: { scopeId: id, key, requestHash: sha256('send again').toString('hex') },
  }
  return queueAndRead(context, request, userId)
}
