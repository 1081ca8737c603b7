import type { Message } from '../../database/messages/message.js'
import { findMessage, findMessageOwner } from '../../database/messages/reading.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import type { Context } from '../context.js'

/** @throws UserError 404, also for another user's message */
export async function getMessage({ db }: Context, userId: string, id: string): Promise<Message> {
  const message = isId(id) ? await findMessage(db, userId, id) : undefined
  if (message === undefined) throw new UserError('No such message', 404)
  return message
}

/**
 * Returns any user's message, for operators.
 *
 * @throws UserError 404
 */
export async function getAnyMessage(context: Context, id: string): Promise<Message> {
  const userId = isId(id) ? await findMessageOwner(context.db, id) : undefined
  if (userId === undefined)
    throw new UserError(`No message has the ID ${id}. See \`linehook message list\``, 404)
  return getMessage(context, userId, id)
}
