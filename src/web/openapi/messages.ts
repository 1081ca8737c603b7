import { ENCODING, MESSAGE_FIELDS, SEGMENT_COUNT } from '../../database/messages/message.js'
import { MAX_CLIENT_REF_LENGTH, MAX_SEND_AHEAD_DAYS } from '../../domain/messages/later.js'
import { MAX_KEY_LENGTH, MAX_TEXT_LENGTH } from '../../domain/messages/submit.js'
import { MAX_BATCH } from '../api/messages.js'
import { MEDIA_STATUSES } from '../../states.js'
import { orApplication } from './oauth.js'
import {
  answers,
  answersList,
  body,
  count,
  describe,
  fieldsBody,
  givenNumber,
  givenUrl,
  id,
  inHeader,
  inPath,
  listOf,
  listParameters,
  maybe,
  maybeText,
  maybeUrl,
  moment,
  nextPage,
  object,
  oneOf,
  schemaOf,
  shownOf,
  text,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

const { direction, type, status } = MESSAGE_FIELDS

const TEXT_OR_MEDIA = [
  { required: ['text'], properties: { text: { pattern: '\\S' } } },
  { required: ['mediaUrl'], properties: { mediaUrl: givenUrl } },
]

const givenClientRef: Schema = { type: 'string', minLength: 1, maxLength: MAX_CLIENT_REF_LENGTH }

/** What may be said of a message besides; null stands for nothing, and so does an empty `clientRef`. */
export const optionSchemas: Record<string, Schema> = {
  sendAt: describe(
    maybe(moment),
    `When it is to be sent, ${MAX_SEND_AHEAD_DAYS} days ahead at most. A moment that is over means at once.`,
  ),
  expiresAt: describe(
    maybe(moment),
    'If the carrier was not asked to send it by then, it fails as `expired`.',
  ),
  clientRef: describe(
    { anyOf: [givenClientRef, { type: 'null' }, { const: '' }] },
    'What you call it. Answers and `messageStatus` events have it, and messages are found by it.',
  ),
}

export function messageSchemas(words: ProductNames): Record<string, Schema> {
  return {
    Media: object({
      status: describe(
        oneOf(...MEDIA_STATUSES),
        'A message is sent, and an event delivered, when its media are `stored`.',
      ),
      failure: describe(maybeText, 'Why it was not copied, or is not copied yet, such as `media_http_404`.'),
      contentType: describe(maybeText, 'The type that its bytes show.'),
      byteCount: { type: ['integer', 'null'] },
      width: { type: ['integer', 'null'] },
      height: { type: ['integer', 'null'] },
      url: describe(
        maybeUrl,
        'The URL of our copy. It is null before the copy is stored, and after the copy was deleted for its age.',
      ),
    }),
    Message: object(shownOf(MESSAGE_FIELDS, words)),
    BatchOutcome: {
      anyOf: [
        object({ status: { const: 200 }, id: describe(id, 'Of the message that is accepted.') }),
        object({
          status: describe(
            { type: 'integer', minimum: 400 },
            'What the message alone would be answered with.',
          ),
          detail: describe(text, 'Why it is refused; it names the field and the fix.'),
        }),
      ],
    },
    Segments: object({
      encoding: describe(ENCODING.schema, 'It is UCS-2 if any character is not in GSM-7.'),
      segmentCount: describe(SEGMENT_COUNT.schema, 'Carriers charge for each segment.'),
      unitCount: describe(
        count,
        'A unit of GSM-7 has 7 bits: a single segment has 160, each of several has 153. A unit of UCS-2 has 16 bits: ' +
          'a single segment has 70, each of several has 67.',
      ),
      characterCount: count,
    }),
  }
}

export function messagePaths(words: ProductNames): Paths {
  const tags = ['Messages']
  const security = orApplication(words, 'messages:connect', 'messages:write')
  const parameters = [inPath('messageId', "The message's id.")]
  const answer = answers('The message.', schemaOf('Message'))
  return {
    '/v1/messages': {
      get: {
        operationId: 'listMessages',
        tags,
        summary: `List the messages of your ${words.lines}`,
        description: `They come newest first. An application sees those of connected ${words.lines}. With \`messages:write\` alone it sees those that it sent.`,
        security,
        parameters: listParameters(words, {
          direction,
          type,
          status,
          clientRef: { kind: { schema: givenClientRef }, isShown: true },
        }),
        responses: {
          200: answersList('A page of messages; as CSV all of them.', schemaOf('Message'), nextPage),
          ...problems(400, 401, 403),
        },
      },
      post: {
        operationId: 'sendMessage',
        tags,
        summary: 'Send a message',
        description: `You send from one of your ${words.lines}. An application sends from one that is connected to it. The message is accepted at once, and a worker sends it.`,
        security,
        parameters: [
          inHeader(
            'Idempotency-Key',
            { type: 'string', maxLength: MAX_KEY_LENGTH },
            'A second request with the same key within 24 h sends nothing. It is answered with the same message.',
          ),
        ],
        requestBody: fieldsBody({
          ...object(
            {
              [words.vocabulary.idField]: id,
              toNumber: givenNumber,
              text: { type: 'string', maxLength: MAX_TEXT_LENGTH },
              mediaUrl: describe(
                { anyOf: [givenUrl, { const: '' }] },
                'The URL of a png, jpg, gif or mpg file under 5 MB. An empty text stands for no media.',
              ),
              ...optionSchemas,
            },
            ['text', 'mediaUrl', ...Object.keys(optionSchemas)],
          ),
          anyOf: TEXT_OR_MEDIA,
        }),
        responses: { 200: answer, ...problems(400, 401, 403, 404, 409, 413, 422, 429) },
      },
    },
    '/v1/segments': {
      post: {
        operationId: 'countSegments',
        tags,
        summary: 'Count the segments of a text before it is sent',
        description: 'Nothing is sent or kept.',
        security,
        requestBody: body(object({ text: { type: 'string', maxLength: MAX_TEXT_LENGTH } })),
        responses: {
          200: answers('The segments that the text takes.', schemaOf('Segments')),
          ...problems(400, 401, 403, 413),
        },
      },
    },
    '/v1/messages/batch': {
      post: {
        operationId: 'sendMessages',
        tags,
        summary: `Send up to ${MAX_BATCH} messages`,
        description:
          'Each is accepted or refused by itself: what is wrong with one does not keep the others. The answer has one ' +
          'outcome for each, in their order. Limits and caps count each message. The body may have 4 MiB.',
        security,
        requestBody: body(
          object({
            messages: {
              type: 'array',
              minItems: 1,
              maxItems: MAX_BATCH,
              items: { type: 'object' },
              description:
                'Each has the fields of `POST /v1/messages`, and may have an `idempotencyKey` in place of the header.',
            },
          }),
        ),
        responses: {
          200: answers('What became of each message.', listOf(schemaOf('BatchOutcome'))),
          ...problems(400, 401, 403, 413),
        },
      },
    },
    '/v1/messages/{messageId}': {
      parameters,
      get: {
        operationId: 'getMessage',
        tags,
        summary: 'Get a message',
        description: 'The answer says what became of it: its state, the carrier’s answer, and its media.',
        security,
        responses: { 200: answer, ...problems(401, 403, 404) },
      },
      patch: {
        operationId: 'rescheduleMessage',
        tags,
        summary: 'Change when a message is sent',
        description:
          'This is possible while it is `scheduled`, or `queued` and no carrier was asked to send it yet. A moment that is over means at once. ' +
          'An application may change what it sent itself.',
        security,
        requestBody: body(object({ sendAt: describe(moment, 'As when it is sent.') })),
        responses: { 200: answer, ...problems(400, 401, 403, 404, 409, 413) },
      },
    },
    '/v1/messages/{messageId}/cancel': {
      parameters,
      post: {
        operationId: 'cancelMessage',
        tags,
        summary: 'Cancel a message that waits',
        description:
          'A message that is `scheduled` or `queued` becomes `failed` with the error `cancelled`. To do it again changes nothing. ' +
          'An application may cancel what it sent itself.',
        security,
        responses: { 200: answer, ...problems(400, 401, 403, 404, 409, 413) },
      },
    },
    '/v1/messages/{messageId}/try-now': {
      parameters,
      post: {
        operationId: 'tryMessageNow',
        tags,
        summary: 'Try a message now that waits for its next attempt',
        description:
          'Rate limits, pauses and earlier messages to the same number hold as ever. This is refused when it does not wait for a time.',
        responses: { 200: answer, ...problems(400, 401, 404, 409, 413) },
      },
    },
    '/v1/messages/{messageId}/send-again': {
      parameters,
      post: {
        operationId: 'sendMessageAgain',
        tags,
        summary: 'Send a message again that failed or is unknown',
        description: 'This makes a new message. Without an `Idempotency-Key` each request makes another one.',
        parameters: [
          inHeader(
            'Idempotency-Key',
            { type: 'string', maxLength: MAX_KEY_LENGTH },
            'A second request with the same key within 24 h sends nothing. It is answered with the same message.',
          ),
        ],
        responses: { 200: answer, ...problems(400, 401, 403, 404, 409, 413, 429) },
      },
    },
  }
}
