import * as yup from 'yup'
import { sendMessageAgain } from '../../domain/messages/again.js'
import { findMessages, getMessage } from '../../domain/messages/read.js'
import { newId } from '../../ids.js'
import { userOf } from '../middleware/authenticate.js'
import { answerList, pageParameters } from '../paging.js'
import { idParameter, momentParameter, numberParameter, readQuery, wordParameter } from '../query.js'
import { onOwn, type Operation } from './own.js'
import { presentMessage } from './presenters.js'

export const DIRECTIONS = ['outbound', 'inbound'] as const
export const MESSAGE_TYPES = ['text', 'media', 'voicemail'] as const
export const MESSAGE_STATUSES = [
  'queued',
  'sending',
  'sent',
  'delivered',
  'failed',
  'unknown',
  'received',
] as const

export const getMessages: Operation = (context) => {
  const { vocabulary } = context
  const parameters = yup.object({
    ...pageParameters,
    lineId: idParameter().label(vocabulary.idField),
    direction: wordParameter(DIRECTIONS),
    type: wordParameter(MESSAGE_TYPES),
    status: wordParameter(MESSAGE_STATUSES),
    number: numberParameter(),
    from: momentParameter(),
    until: momentParameter(),
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
