import * as yup from 'yup'
import { DIRECTIONS, MESSAGE_TYPES } from '../../database/messages/reading.js'
import { MESSAGE_STATUSES } from '../../database/messages/sending.js'
import { sendMessageAgain } from '../../domain/messages/again.js'
import { findMessages, getMessage } from '../../domain/messages/read.js'
import { newId } from '../../ids.js'
import { userOf } from '../middleware/authenticate.js'
import { answerList, listParameters } from '../paging.js'
import { readQuery, wordParameter } from '../query.js'
import { onOwn, type Operation } from './own.js'
import { presentMessage } from './presenters.js'

export const getMessages: Operation = (context) => {
  const { vocabulary } = context
  const parameters = yup.object({
    ...listParameters(vocabulary),
    direction: wordParameter(DIRECTIONS),
    type: wordParameter(MESSAGE_TYPES),
    status: wordParameter(MESSAGE_STATUSES),
  })
  return async (ctx) => {
    const { before, limit, ...filter } = await readQuery(ctx, parameters, vocabulary)
    await answerList(
      context,
      ctx,
      limit,
      (count) => findMessages(context, userOf(ctx), filter, { before, limit: count }),
      (message) => presentMessage(vocabulary, message),
    )
  }
}

export const getOneMessage = onOwn('message', async (context, { userId, id }) =>
  presentMessage(context.vocabulary, await getMessage(context, userId, id)),
)

/** A new message like one that failed. Without an `Idempotency-Key`, each request is one of its own. */
export const postMessageAgain = onOwn('message', async (context, { userId, id, ctx }) => {
  const key = ctx.get('Idempotency-Key')
  const message = await sendMessageAgain(context, userId, id, key === '' ? newId() : key)
  return presentMessage(context.vocabulary, message)
})
