import {
  findMessage,
  listMessages,
  type Message,
  type MessageFilter,
} from '../../database/messages/reading.js'
import type { Page } from '../../database/pages.js'
import { UserError } from '../../errors.js'
import { isId } from '../../ids.js'
import type { Context } from '../context.js'

/** The user's messages that fit the filter, newest first. */
export function findMessages(
  { db }: Context,
  userId: string,
  filter: MessageFilter,
  page: Page,
): Promise<Message[]> {
  return listMessages(db, userId, filter, page)
}

/** @throws UserError 404, also for another user's message */
export async function getMessage({ db }: Context, userId: string, id: string): Promise<Message> {
  const message = isId(id) ? await findMessage(db, userId, id) : undefined
  if (message === undefined) throw new UserError('no such message', 404)
  return message
}
