import * as yup from 'yup'
import { DIRECTIONS, MESSAGE_TYPES } from '../../database/messages/message.js'
import { listMessages } from '../../database/messages/reading.js'
import { getMessage } from '../../domain/messages/get-message.js'
import { postMessage as submitMessage } from '../../domain/messages/post.js'
import { sendMessageAgain } from '../../domain/messages/send-again.js'
import { tryMessageNow } from '../../domain/messages/try-now.js'
import { UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { MESSAGE_STATUSES } from '../../states.js'
import { readBodyFields } from '../body-fields.js'
import { applicationOf, userOf } from '../middleware/authenticate.js'
import { answerList, listParameters } from '../paging.js'
import { idParameter, readQuery, wordParameter } from '../query.js'
import { requireLineOfToken, visibleMessages } from './line-access.js'
import { onOwn, type Operation } from './owner-operation.js'
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
    const visible = { ...filter, ...(await visibleMessages(context, ctx)) }
    await answerList(
      context,
      ctx,
      limit,
      (count) => listMessages(context.db, userOf(ctx), visible, { before, limit: count }),
      (message) => presentMessage(context, message),
    )
  }
}

export const getOneMessage = onOwn('message', async (context, { userId, id, ctx }) => {
  const message = await getMessage(context, userId, id)
  const { lineIds, applicationId } = await visibleMessages(context, ctx)
  const isVisible =
    (lineIds?.includes(message.lineId) ?? true) && [undefined, message.applicationId].includes(applicationId)
  if (!isVisible) throw new UserError('no such message', 404)
  return presentMessage(context, message)
})

/**
 * Accepts `{lineId, toNumber, text?, mediaUrl?}` as JSON or a form; a worker sends it. An application may use the lines
 * that are connected to it, a user's own program all of the user's lines.
 */
export const postMessage: Operation = (context) => {
  const { vocabulary } = context
  const schema = yup.object({
    lineId: idParameter().label(vocabulary.idField).typeError('${path} must be text').required(),
    toNumber: yup.string().typeError('toNumber must be text').required(),
    text: yup.string().strict().typeError('text must be text'),
    mediaUrl: yup.string().strict().typeError('mediaUrl must be text'),
  })
  return async (ctx) => {
    const sent = vocabulary.canonicalFields(ctx.request.body as Record<string, unknown>)
    const { lineId, toNumber, text, mediaUrl } = await readBodyFields(schema, sent)
    requireLineOfToken(ctx, lineId)
    const key = ctx.get('Idempotency-Key')
    const message = await submitMessage(context, {
      userId: userOf(ctx),
      applicationId: applicationOf(ctx)?.id,
      lineId: lineId.toLowerCase(),
      toNumber,
      text,
      mediaUrl: mediaUrl === '' ? undefined : mediaUrl,
      idempotencyKey: key === '' ? undefined : key,
    })
    ctx.body = presentMessage(context, message)
  }
}

/** A new message like one that failed. Without an `Idempotency-Key`, each request is one of its own. */
export const postMessageNow = onOwn('message', async (context, { userId, id }) =>
  presentMessage(context, await tryMessageNow(context, userId, id)),
)

export const postMessageAgain = onOwn('message', async (context, { userId, id, ctx }) => {
  const key = ctx.get('Idempotency-Key')
  const message = await sendMessageAgain(context, userId, id, key === '' ? newId() : key, 'api')
  return presentMessage(context, message)
})
