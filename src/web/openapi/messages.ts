import { DIRECTIONS, MESSAGE_TYPES } from '../../database/messages/reading.js'
import { MEDIA_STATUSES, MESSAGE_STATUSES } from '../../states.js'
import { listParameters, nextPage } from './lists.js'
import { orApplication } from './oauth.js'
import {
  answers,
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
  maybe,
  maybeId,
  maybeMoment,
  maybeText,
  maybeUrl,
  moment,
  number,
  object,
  oneOf,
  schemaOf,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

const direction = oneOf(...DIRECTIONS)
const type = oneOf(...MESSAGE_TYPES)
const encoding = oneOf('GSM-7', 'UCS-2')
const status = describe(
  oneOf(...MESSAGE_STATUSES),
  'Outbound: `queued → sending → sent → delivered`, or `failed`, or `unknown`: the carrier may have taken it.',
)

export function messageSchemas({ vocabulary, line }: ProductNames): Record<string, Schema> {
  return {
    Media: object({
      status: describe(
        oneOf(...MEDIA_STATUSES),
        'A message is sent, and an event delivered, when its media are `stored`.',
      ),
      failure: describe(maybeText, 'Why it could not be copied, or not yet, such as `media_http_404`.'),
      contentType: describe(maybeText, 'By its bytes.'),
      byteCount: { type: ['integer', 'null'] },
      width: { type: ['integer', 'null'] },
      height: { type: ['integer', 'null'] },
      url: describe(
        maybeUrl,
        'Where it is; null before it is stored, and when it is so old that it was deleted.',
      ),
    }),
    Message: object({
      id,
      [vocabulary.idField]: id,
      direction,
      source: describe(
        oneOf('webhook', 'application', 'api', 'console', 'carrier', 'service'),
        'What it came by; `carrier` when it was received, `service` when it answers STOP, START or HELP.',
      ),
      applicationId: describe(maybeId, 'The application that sent it.'),
      type,
      fromNumber: number,
      toNumber: number,
      text: maybeText,
      encoding: describe(maybe(encoding), 'Of the text; null without one.'),
      segmentCount: describe(
        { type: ['integer', 'null'], minimum: 1 },
        'How many pieces the text is sent in, and charged for; null without one.',
      ),
      mediaUrl: describe(
        maybeText,
        'What was given; of a received message our copy, which is there once it is stored.',
      ),
      media: describe(maybe(schemaOf('Media')), 'Our copy; null: the message has no media.'),
      status,
      error: describe(maybeText, 'Why it failed, or is unknown.'),
      carrierCode: describe(maybeText, "The carrier's own code beside the error, such as Twilio's `30003`."),
      attemptCount: count,
      carrierMessageId: maybeText,
      againOf: describe(maybeId, 'The message that was sent again with this one.'),
      createdAt: describe(moment, `When it was accepted, or the ${line} received it.`),
      sentAt: maybeMoment,
      receiptAt: describe(maybeMoment, "When the carrier's report on it came."),
    }),
    Segments: object({
      encoding: describe(encoding, 'UCS-2 as soon as one character is not in GSM-7.'),
      segmentCount: describe({ type: 'integer', minimum: 1 }, 'What is charged for.'),
      unitCount: describe(
        count,
        'GSM-7: septets, 160 in one segment or 153 in each of several. UCS-2: 16 bits each, 70 or 67.',
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
        description: `Newest first. An application sees those of connected ${words.lines}; with \`messages:write\` alone, those that it sent.`,
        security,
        parameters: listParameters(words, { direction, type, status }),
        responses: {
          200: answers('A page of messages.', listOf(schemaOf('Message')), nextPage),
          ...problems(400, 401, 403),
        },
      },
      post: {
        operationId: 'sendMessage',
        tags,
        summary: 'Send a message',
        description: `From one of your ${words.lines}; an application sends from one that is connected to it. It is accepted, then sent by a worker.`,
        security,
        parameters: [
          inHeader(
            'Idempotency-Key',
            { type: 'string', maxLength: 255 },
            'With the same key again, within 24 h, the same message is answered and nothing is sent.',
          ),
        ],
        requestBody: fieldsBody({
          ...object(
            {
              [words.vocabulary.idField]: id,
              toNumber: givenNumber,
              text: { type: 'string', maxLength: 1600 },
              mediaUrl: describe(
                { anyOf: [givenUrl, { const: '' }] },
                'png, jpg, gif or mpg, under 5 MB; empty: none.',
              ),
            },
            ['text', 'mediaUrl'],
          ),
          anyOf: [
            { required: ['text'], properties: { text: { pattern: '\\S' } } },
            { required: ['mediaUrl'], properties: { mediaUrl: givenUrl } },
          ],
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
        requestBody: body(object({ text: { type: 'string', maxLength: 1600 } })),
        responses: { 200: answers('What it takes.', schemaOf('Segments')), ...problems(400, 401, 403, 413) },
      },
    },
    '/v1/messages/{messageId}': {
      parameters,
      get: {
        operationId: 'getMessage',
        tags,
        summary: 'Get a message',
        description: 'With what became of it: its state, the carrier’s answer, and its media.',
        security,
        responses: { 200: answer, ...problems(401, 403, 404) },
      },
    },
    '/v1/messages/{messageId}/send-again': {
      parameters,
      post: {
        operationId: 'sendMessageAgain',
        tags,
        summary: 'Send a message again that failed or is unknown',
        description: 'Makes a new message. Without an `Idempotency-Key`, each request makes one.',
        parameters: [
          inHeader(
            'Idempotency-Key',
            { type: 'string', maxLength: 255 },
            'With the same key again, within 24 h, the same message is answered and nothing is sent.',
          ),
        ],
        responses: { 200: answer, ...problems(400, 401, 403, 404, 409, 413) },
      },
    },
  }
}
