import type { Context as KoaContext } from 'koa'
import * as yup from 'yup'
import {
  DIRECTIONS,
  ENCODING,
  MESSAGE_FIELDS,
  MESSAGE_TYPES,
  SEGMENT_COUNT,
  type Message,
} from '../../database/messages/message.js'
import { listMessages } from '../../database/messages/reading.js'
import { storable } from '../../database/text.js'
import type { Context } from '../../domain/context.js'
import { languagesFor } from '../../domain/carriers/languages.js'
import { getOwnLine } from '../../domain/lines/lines.js'
import { getMessage } from '../../domain/messages/get-message.js'
import { cancelMessage, rescheduleMessage } from '../../domain/messages/scheduling.js'
import { MAX_MEDIA } from '../../domain/messages/post/media.js'
import { postMessages, postMessage, type NewMessage } from '../../domain/messages/post.js'
import { measureText } from '../../domain/messages/segments.js'
import { sendMessageAgain } from '../../domain/messages/send-again.js'
import { MAX_KEY_LENGTH, MAX_TEXT_LENGTH } from '../../domain/messages/submit/refusals.js'
import { tryMessageNow } from '../../domain/messages/try-now.js'
import { OutcomeUnknown, refusalOf, Unavailable, UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { LANGUAGE_NAMES } from '../../kit/text/national-tables.js'
import { MEDIA_STATUSES, MESSAGE_STATUSES } from '../../states.js'
import { listField, readBodyFields, textField } from '../input/body-fields.js'
import { idempotencyKeyOf } from '../input/idempotency-key.js'
import { answerList, listParameters } from '../input/paging.js'
import { idParameter, wordParameter } from '../input/query.js'
import { knownNames, refuseUnknown, type Known } from '../input/unknown-fields.js'
import { watchDisconnect } from '../listening/watch-disconnect.js'
import { applicationOf, userOf } from '../middleware/authenticate.js'
import { bodyBound } from '../middleware/body-bytes.js'
import { explainError } from '../middleware/errors.js'
import { isForm, isRecord, JSON_REFUSALS } from '../middleware/json-body.js'
import {
  answers,
  answersList,
  count,
  describe,
  givenNumber,
  givenUrl,
  id,
  inHeader,
  listOf,
  maybeGivenUrl,
  maybeText,
  maybeUrl,
  moment,
  nextPage,
  object,
  oneOf,
  schemaOf,
  shownOf,
  text,
} from '../openapi/parts.js'
import { requireLineOfToken, requireVisible, visibleMessages } from './line-access.js'
import { fieldsOf, inProductWord, operationsOf, type OperationCall } from './operation.js'
import { presentMessage } from './presenters.js'
import { clientRefParameter, givenFields, optionFields, optionsOfForm } from './send-options.js'

export const messageSchemas = {
  Media: object({
    status: describe(
      oneOf(...MEDIA_STATUSES),
      'A message is sent, or an event delivered, once its media are `stored`.',
    ),
    failure: describe(maybeText, 'Why the media have not been copied, such as `media_http_404`.'),
    contentType: describe(maybeText, "The type detected from the file's content."),
    byteCount: { type: ['integer', 'null'] },
    width: { type: ['integer', 'null'] },
    height: { type: ['integer', 'null'] },
    url: describe(
      maybeUrl,
      'The URL of our copy. Null until the copy is stored, and again after it expires.',
    ),
  }),
  Message: object(shownOf(MESSAGE_FIELDS)),
  BatchOutcome: {
    anyOf: [
      object({ status: { const: 200 }, id: describe(id, 'The ID of the accepted message.') }),
      object({
        status: describe({ type: 'integer', minimum: 400 }, 'The status that a single request would get.'),
        detail: describe(text, 'Why it was refused, naming the field and the fix.'),
      }),
    ],
  },
  Segments: object({
    encoding: describe(ENCODING.schema, 'UCS-2 if any character is not in GSM-7.'),
    segmentCount: describe(SEGMENT_COUNT.schema, 'Carriers charge for each segment.'),
    unitCount: describe(
      count,
      'A GSM-7 unit has 7 bits: a single segment holds 160, and each segment of a longer text holds 153. A UCS-2 unit has 16 bits: a single segment holds 70, and each segment of a longer text holds 67.',
    ),
    characterCount: count,
    language: describe(
      { enum: [...LANGUAGE_NAMES, null] },
      'The language of the national table it uses. Null if it needs none.',
    ),
    room: describe(
      object({ single: count, part: count }),
      'The number of units that fit in a single segment, and in each segment of a longer text. A national table reduces it.',
    ),
  }),
}

const operation = operationsOf('Messages')
/** An application's token must have one of these. */
const scopes = ['messages:connect', 'messages:write'] as const
const one = '/v1/messages/{messageId}'
const message = answers('The message.', schemaOf('Message'))

const MAX_BATCH = 500
const TOO_LARGE = 'The request body is too large. It can have at most 4 MiB'

const idempotencyKey = inHeader(
  'Idempotency-Key',
  { type: 'string', minLength: 1, maxLength: MAX_KEY_LENGTH },
  'Repeating a request with the same key within 24 hours sends nothing and returns the same message.',
)

const fields = {
  lineId: idParameter().typeError('${path} must be text').required(),
  toNumber: textField().required().meta({ schema: givenNumber }),
  text: textField().meta({ schema: { type: ['string', 'null'], maxLength: MAX_TEXT_LENGTH } }),
  mediaUrl: textField().meta({
    schema: maybeGivenUrl,
    about: 'The URL of a png, jpg, gif or mpg file under 5 MB. Null and an empty string mean no media.',
  }),
  mediaUrls: listField('mediaUrls', 'URLs', { max: MAX_MEDIA }).meta({
    schema: { type: ['array', 'null'], items: givenUrl, maxItems: MAX_MEDIA },
    about:
      'Several files, sent in order in one message, instead of `mediaUrl`. The maximum number and total size depend on the carrier.',
  }),
  ...optionFields,
}

export const messageOperations = [
  operation({
    operationId: 'listMessages',
    at: 'get /v1/messages',
    may: 'reads lines',
    scopes,
    summary: 'List the messages of your {lines}',
    description:
      'Newest first. An application sees the messages of connected {lines}. With only `messages:write`, it sees the messages it sent.',
    query: listParameters({
      direction: wordParameter(DIRECTIONS).meta({ about: 'Only messages in this direction.' }),
      type: wordParameter(MESSAGE_TYPES).meta({ about: 'Only with this type.' }),
      status: wordParameter(MESSAGE_STATUSES).meta({ about: 'Only with this status.' }),
      clientRef: clientRefParameter().meta({ about: 'Only messages with this client reference.' }),
    }),
    answer: answersList('A page of messages, or all of them as CSV.', schemaOf('Message'), nextPage),
    act: async (call) => {
      const { context, ctx, userId } = call
      const { before, limit, ...filter } = await call.query()
      const asked = {
        ...filter,
        ...(filter.clientRef === undefined ? {} : { clientRef: storable(filter.clientRef) }),
      }
      await answerList(
        call,
        'messages',
        { before, limit },
        // A file may have many pages, and an application loses a line that is disconnected in between.
        async (page) =>
          listMessages(context.db, userId, { ...asked, ...(await visibleMessages(context, ctx)) }, page),
        (each) => presentMessage(context, each),
      )
    },
  }),
  operation({
    operationId: 'sendMessage',
    at: 'post /v1/messages',
    may: 'changes lines',
    scopes,
    summary: 'Send a message',
    description:
      'The message is sent from one of your {lines}, or, for an application, from a connected {line}. It is accepted immediately, and a worker sends it.',
    headers: [idempotencyKey],
    body: yup.object(fields).meta({
      schema: {
        // Not `anyOf`: generators of clients make a class of each, which has none of the other fields.
        if: { not: { required: ['text'], properties: { text: { type: 'string', pattern: '\\S' } } } },
        then: {
          anyOf: [
            { required: ['mediaUrl'], properties: { mediaUrl: givenUrl } },
            { required: ['mediaUrls'], properties: { mediaUrls: { type: 'array', minItems: 1 } } },
          ],
        },
      },
    }),
    takesForm: true,
    knowsOutcome: true,
    answer: message,
    refusals: [404, 409, 422, 429],
    act: async ({ context, ctx }) => {
      const sent = { ...fieldsOf(ctx), idempotencyKey: idempotencyKeyOf(ctx) }
      return presentMessage(context, await postMessage(context, await readMessage(context, ctx, sent)))
    },
  }),
  operation({
    operationId: 'countSegments',
    at: 'post /v1/segments',
    may: 'reads lines',
    scopes,
    summary: 'Count the segments of a text before sending it',
    description: 'Nothing is sent or stored.',
    body: yup.object({
      text: textField()
        .defined('text is required')
        .meta({ schema: { type: 'string', maxLength: MAX_TEXT_LENGTH } }),
      lineId: idParameter().typeError('${path} must be text').meta({
        about:
          'The {line} that would send it. Without it, the national tables of its carrier account are not considered.',
      }),
    }),
    answer: answers('The number of segments.', schemaOf('Segments')),
    refusals: [404],
    act: async ({ context, ctx, userId, body }) => {
      const { text, lineId } = await body()
      if (lineId === undefined) return measureText(text)
      await requireVisible(context, ctx, lineId)
      const { carrierAccount } = await getOwnLine(context, userId, lineId)
      return measureText(text, await languagesFor(context, carrierAccount, text))
    },
  }),
  operation({
    operationId: 'sendMessages',
    at: 'post /v1/messages/batch',
    may: 'changes lines',
    scopes,
    summary: `Send up to ${MAX_BATCH} messages`,
    description:
      'Each is accepted or refused individually. An error in one does not affect the others. The response has one ' +
      'outcome for each, in order. Limits and caps count every message. The body can have up to 4 MiB.',
    body: yup.object({
      messages: yup
        .mixed()
        .required()
        .meta({
          schema: {
            type: 'array',
            minItems: 1,
            maxItems: MAX_BATCH,
            items: { type: 'object' },
            examples: [
              [
                {
                  lineId: '01a1f8a0-0000-7000-8000-000000000001',
                  toNumber: '+15005550199',
                  text: 'Your order is ready.',
                },
              ],
            ],
          },
          about:
            'Each has the fields of `POST /v1/messages`, and can have an `idempotencyKey` instead of the header.',
        }),
    }),
    // Each text may take 6,400 bytes.
    sizeOfBody: {
      bound: bodyBound(4 * 1024 * 1024),
      refusals: { ...JSON_REFUSALS, tooLarge: TOO_LARGE },
    },
    knowsOutcome: true,
    answer: answers('The result for each message.', listOf(schemaOf('BatchOutcome'))),
    act: ({ context, ctx }) => acceptBatch(context, ctx),
  }),
  operation({
    operationId: 'getMessage',
    at: `get ${one}`,
    may: 'reads lines',
    scopes,
    summary: 'Get a message',
    description: "The response includes its status, the carrier's response and its media.",
    answer: message,
    act: async (call) => presentMessage(call.context, await getVisible(call)),
  }),
  operation({
    operationId: 'rescheduleMessage',
    at: `patch ${one}`,
    may: 'changes lines',
    scopes,
    summary: 'Change when a message is sent',
    description:
      'Possible while it is `scheduled`, or `queued` and not yet handed to a carrier. A time in the past sends immediately. ' +
      'An application can change only its own messages.',
    body: yup.object({
      sendAt: optionFields.sendAt
        .required()
        .meta({ schema: moment, about: 'The new time, as in `POST /v1/messages`.' }),
    }),
    answer: message,
    refusals: [409],
    act: async (call) => {
      const { context, userId } = call
      await requireOwnMessage(call)
      const { sendAt } = await call.body()
      return presentMessage(context, await rescheduleMessage(context, userId, call.id, sendAt))
    },
  }),
  operation({
    operationId: 'cancelMessage',
    at: `post ${one}/cancel`,
    may: 'changes lines',
    scopes,
    summary: 'Cancel a waiting message',
    description:
      'A message that is `scheduled` or `queued` becomes `failed` with the error `cancelled`. Repeating the request changes nothing. ' +
      'An application can cancel only its own messages.',
    answer: message,
    refusals: [409],
    act: async (call) => {
      const { context, userId } = call
      await requireOwnMessage(call)
      return presentMessage(context, await cancelMessage(context, userId, call.id))
    },
  }),
  operation({
    operationId: 'tryMessageNow',
    at: `post ${one}/try-now`,
    may: 'changes lines',
    summary: 'Retry a waiting message now',
    description:
      'Rate limits, pauses and the order of messages to the same number still apply. If its media could not be copied yet, ' +
      'copying is retried, even for a received message. Refused if the message is not waiting for its next attempt.',
    answer: message,
    refusals: [409],
    act: async ({ context, userId, id: messageId }) =>
      presentMessage(context, await tryMessageNow(context, userId, messageId)),
  }),
  operation({
    operationId: 'sendMessageAgain',
    at: `post ${one}/send-again`,
    may: 'changes lines',
    summary: 'Resend a failed or unknown message',
    description: 'Creates a new message. Without an `Idempotency-Key`, each request creates another one.',
    headers: [idempotencyKey],
    knowsOutcome: true,
    answer: message,
    refusals: [409, 429],
    act: async ({ context, ctx, userId, id: messageId }) => {
      const key = idempotencyKeyOf(ctx) ?? newId()
      const again = await sendMessageAgain(context, userId, messageId, key, 'api')
      return presentMessage(context, again)
    },
  }),
]

/** @throws UserError 404 for a message that the calling program may not see */
async function getVisible({ context, ctx, userId, id: messageId }: OperationCall): Promise<Message> {
  const found = await getMessage(context, userId, messageId)
  const { lineIds, applicationId } = await visibleMessages(context, ctx)
  const isVisible =
    (lineIds?.includes(found.lineId) ?? true) && [undefined, found.applicationId].includes(applicationId)
  if (!isVisible) throw new UserError('No such message', 404)
  return found
}

/** @throws UserError 403 for an application that did not send the message, 404 */
async function requireOwnMessage(call: OperationCall): Promise<void> {
  const found = await getVisible(call)
  const application = applicationOf(call.ctx)
  if (application !== undefined && found.applicationId !== application.id) {
    throw new UserError('An application can change only the messages it sent', 403)
  }
}

const withKey = yup.object({ ...fields, idempotencyKey: textField() })

/**
 * An application may use the lines that are connected to it, a user's own program all of the user's lines.
 *
 * @param known the line's fields if the message is one of many, whose own fields were not checked yet
 * @throws UserError
 */
async function readMessage(
  { vocabulary }: Context,
  ctx: KoaContext,
  written: Record<string, unknown>,
  known?: Known,
): Promise<NewMessage> {
  const named = vocabulary.canonicalFields(written)
  const sent = isForm(ctx) ? optionsOfForm(withMediaList(named)) : named
  if (known !== undefined) refuseUnknown(vocabulary.fields(sent), known)
  const schema = inProductWord(withKey, vocabulary)
  const { lineId, mediaUrl, idempotencyKey: key, ...others } = await readBodyFields(schema, givenFields(sent))
  requireLineOfToken(ctx, lineId)
  return {
    ...others,
    userId: userOf(ctx),
    applicationId: applicationOf(ctx)?.id,
    lineId,
    text: others.text,
    mediaUrl: mediaUrl === '' ? undefined : mediaUrl,
    idempotencyKey: key,
    hasDisconnected: watchDisconnect(ctx),
  }
}

/** A form with one `mediaUrls` has a text, and one with several a list. */
function withMediaList(sent: Record<string, unknown>): Record<string, unknown> {
  return typeof sent.mediaUrls === 'string' ? { ...sent, mediaUrls: [sent.mediaUrls] } : sent
}

/** Accepts `{messages: […]}`, each message separately; the answer has the result of each, in their order. */
async function acceptBatch(context: Context, ctx: KoaContext) {
  if (idempotencyKeyOf(ctx) !== undefined)
    throw new UserError('Idempotency-Key is for one message. Give each message an idempotencyKey instead')
  const { messages } = fieldsOf(ctx)
  const isFitting = Array.isArray(messages) && messages.length > 0 && messages.length <= MAX_BATCH
  if (!isFitting || !messages.every(isRecord)) {
    throw new UserError(`messages must be a list of 1 to ${MAX_BATCH} objects`)
  }
  const known = knownNames(Object.keys(context.vocabulary.fields(withKey.fields)))
  const sent = await Promise.all(
    messages.map((each) => readMessage(context, ctx, each, known).catch(refusalOf)),
  )
  const accepted = (await postMessages(context, sent.filter(isMessage))).values()
  const outcomes = sent.map((each) => (isMessage(each) ? accepted.next().value : each))
  // Nothing was accepted, but all of it may be accepted later: then that is the answer, with its Retry-After.
  const [first] = outcomes
  if (first instanceof Unavailable && outcomes.every(isNotAccepted)) throw first
  return outcomes.map((each) => {
    if (typeof each === 'string') return { status: 200, id: each }
    const { status, detail } = explainError(context.log, each)
    return { status, detail }
  })
}

/** False if some may have been accepted: in that case, only the list says which messages those are. */
function isNotAccepted(outcome: unknown): boolean {
  return outcome instanceof Unavailable && !(outcome instanceof OutcomeUnknown)
}

function isMessage(read: NewMessage | UserError): read is NewMessage {
  return !(read instanceof UserError)
}
