import type { Message } from '../../database/messages/message.js'
import { findMessage } from '../../database/messages/reading.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import type { Context } from '../context.js'

/** @throws UserError 404, also for another user's message */
export async function getMessage({ db }: Context, userId: string, id: string): Promise<Message> {
  const message = isId(id) ? await findMessage(db, userId, id) : undefined
  if (message === undefined) throw new UserError('no such message', 404)
  return message
}
