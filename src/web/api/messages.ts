import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import { DIRECTIONS, MESSAGE_TYPES, type Message } from '../../database/messages/message.js'
import { listMessages } from '../../database/messages/reading.js'
import { storable } from '../../database/text.js'
import type { Context } from '../../domain/context.js'
import { getMessage } from '../../domain/messages/get-message.js'
import { cancelMessage, rescheduleMessage } from '../../domain/messages/later.js'
import { postMessages, postMessage as submitMessage, type NewMessage } from '../../domain/messages/post.js'
import { sendMessageAgain } from '../../domain/messages/send-again.js'
import { tryLineMessagesNow, tryMessageNow } from '../../domain/messages/try-now.js'
import { refusalOf, Unavailable, UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { MESSAGE_STATUSES } from '../../states.js'
import { readBodyFields } from '../input/body-fields.js'
import { applicationOf, userOf } from '../middleware/authenticate.js'
import { bodyBound, type BodyRefusals } from '../middleware/body-bytes.js'
import { explainError } from '../middleware/errors.js'
import { isRecord } from '../middleware/json-body.js'
import { hasLeft } from '../listening/has-left.js'
import { answerList, listParameters } from '../input/paging.js'
import { idParameter, readQuery, wordParameter } from '../input/query.js'
import { knownNames, refuseUnknown } from '../input/unknown-fields.js'
import { requireLineOfToken, visibleMessages } from './line-access.js'
import { onOwn, type Operation, type OwnerRequest } from './owner-operation.js'
import { presentMessage } from './presenters.js'
import { clientRefParameter, givenSendOptions, optionFields } from './send-options.js'

export const getMessages: Operation = (context) => {
  const { vocabulary } = context
  const parameters = yup.object({
    ...listParameters(vocabulary),
    direction: wordParameter(DIRECTIONS),
    type: wordParameter(MESSAGE_TYPES),
    status: wordParameter(MESSAGE_STATUSES),
    clientRef: clientRefParameter(),
  })
  return async (ctx) => {
    const { before, limit, ...filter } = await readQuery(ctx, parameters, vocabulary)
    const visible = {
      ...filter,
      ...(filter.clientRef === undefined ? {} : { clientRef: storable(filter.clientRef) }),
      ...(await visibleMessages(context, ctx)),
    }
    await answerList(
      context,
      ctx,
      'messages',
      { before, limit },
      (page) => listMessages(context.db, userOf(ctx), visible, page),
      (message) => presentMessage(context, message),
    )
  }
}

export const getOneMessage = onOwn('message', async (context, asked) =>
  presentMessage(context, await getVisible(context, asked)),
)

/** @throws UserError 404 for a message that the program which asks may not see */
async function getVisible(context: Context, { userId, id, ctx }: OwnerRequest): Promise<Message> {
  const message = await getMessage(context, userId, id)
  const { lineIds, applicationId } = await visibleMessages(context, ctx)
  const isVisible =
    (lineIds?.includes(message.lineId) ?? true) && [undefined, message.applicationId].includes(applicationId)
  if (!isVisible) throw new UserError('no such message', 404)
  return message
}

/** @throws UserError 403 for an application that did not send the message, 404 */
async function requireOwnMessage(context: Context, asked: OwnerRequest): Promise<void> {
  const message = await getVisible(context, asked)
  const application = applicationOf(asked.ctx)
  if (application !== undefined && message.applicationId !== application.id) {
    throw new UserError('an application may change only messages that it sent itself', 403)
  }
}

/**
 * Reads `{lineId, toNumber, text?, mediaUrl?, sendAt?, expiresAt?, clientRef?}`. An application may use the lines that are
 * connected to it, a user's own program all of the user's lines.
 *
 * @throws UserError
 */
function messageReader({ vocabulary }: Context) {
  const schema = yup.object({
    lineId: idParameter().label(vocabulary.idField).typeError('${path} must be text').required(),
    toNumber: yup.string().strict().typeError('toNumber must be text').required(),
    text: yup.string().strict().typeError('text must be text'),
    mediaUrl: yup.string().strict().typeError('mediaUrl must be text'),
    idempotencyKey: yup.string().strict().typeError('idempotencyKey must be text'),
    ...optionFields,
  })
  const known = knownNames(Object.keys(vocabulary.fields(schema.fields)))
  return async (
    ctx: KoaContext,
    fields: Record<string, unknown>,
    { isOneOfMany = false } = {},
  ): Promise<NewMessage> => {
    if (isOneOfMany) refuseUnknown(vocabulary.fields(vocabulary.canonicalFields(fields)), known)
    const sent = vocabulary.canonicalFields(givenSendOptions(fields))
    const { lineId, mediaUrl, idempotencyKey, ...others } = await readBodyFields(schema, sent)
    requireLineOfToken(ctx, lineId)
    return {
      ...others,
      userId: userOf(ctx),
      applicationId: applicationOf(ctx)?.id,
      lineId: lineId.toLowerCase(),
      text: others.text,
      mediaUrl: mediaUrl === '' ? undefined : mediaUrl,
      idempotencyKey: idempotencyKey === '' ? undefined : idempotencyKey,
      hasLeft: hasLeft(ctx),
    }
  }
}

/** Accepts a message as JSON or a form; a worker sends it. */
export const postMessage: Operation = (context) => {
  const read = messageReader(context)
  return async (ctx) => {
    const idempotencyKey = ctx.get('Idempotency-Key')
    const message = await read(ctx, { ...(ctx.request.body as Record<string, unknown>), idempotencyKey })
    ctx.body = presentMessage(context, await submitMessage(context, message))
  }
}

export const MAX_BATCH = 500
/** Each text may take 6,400 bytes. */
export const BATCH_BOUND = bodyBound(4 * 1024 * 1024)
export const BATCH_REFUSALS: BodyRefusals = {
  tooLarge: 'The request body is too large: 4 MiB at most',
  unreadable: 'The request body must be a JSON object in UTF-8',
}

/** Accepts `{messages: […]}`, each message by itself; the answer says of each, in their order, what became of it. */
export const postMessageBatch: Operation = (context) => {
  const read = messageReader(context)
  return async (ctx) => {
    const { messages } = ctx.request.body as { messages?: unknown }
    const isFitting = Array.isArray(messages) && messages.length > 0 && messages.length <= MAX_BATCH
    if (!isFitting || !messages.every(isRecord)) {
      throw new UserError(`messages must be a list of 1 to ${MAX_BATCH} objects`)
    }
    const sent = await Promise.all(
      messages.map((each) => read(ctx, each, { isOneOfMany: true }).catch(refusalOf)),
    )
    const answers = (await postMessages(context, sent.filter(isMessage))).values()
    const outcomes = sent.map((each) => (isMessage(each) ? answers.next().value : each))
    // Nothing was accepted, and all of it may be later: then that is the answer, with its Retry-After.
    const [first] = outcomes
    if (first instanceof Unavailable && outcomes.every((each) => each instanceof Unavailable)) throw first
    ctx.body = outcomes.map((each) =>
      typeof each === 'string' ? { status: 200, id: each } : refusalIn(context, each),
    )
  }
}

function isMessage(read: NewMessage | UserError): read is NewMessage {
  return !(read instanceof UserError)
}

function refusalIn({ log }: Context, error: unknown) {
  const { status, detail } = explainError(log, error)
  return { status, detail }
}

/** Gives a message that waits another time. */
export const patchMessage = onOwn('message', async (context, asked) => {
  const { userId, id, ctx } = asked
  await requireOwnMessage(context, asked)
  const { sendAt } = await readBodyFields(rescheduling, ctx.request.body)
  return presentMessage(context, await rescheduleMessage(context, userId, id, sendAt))
})

const rescheduling = yup.object({ sendAt: optionFields.sendAt.required() })

export const postMessageCancellation = onOwn('message', async (context, asked) => {
  await requireOwnMessage(context, asked)
  return presentMessage(context, await cancelMessage(context, asked.userId, asked.id))
})

export const postMessageNow = onOwn('message', async (context, { userId, id }) =>
  presentMessage(context, await tryMessageNow(context, userId, id)),
)

/** A new message like one that failed. Without an `Idempotency-Key`, each request is one of its own. */
export const postMessageAgain = onOwn('message', async (context, { userId, id, ctx }) => {
  const key = ctx.get('Idempotency-Key')
  const message = await sendMessageAgain(context, userId, id, key === '' ? newId() : key, 'api')
  return presentMessage(context, message)
})

export const postLineMessagesTry = onOwn('line', async (context, { userId, id }) => ({
  count: await tryLineMessagesNow(context, userId, id),
}))
