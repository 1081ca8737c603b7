import { ENCODING, MESSAGE_FIELDS, SEGMENT_COUNT } from '../../database/messages/message.js'
import { MEDIA_STATUSES } from '../../states.js'
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
  listParameters,
  maybeText,
  maybeUrl,
  nextPage,
  object,
  oneOf,
  schemaOf,
  shownOf,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

const { direction, type, status } = MESSAGE_FIELDS

export function messageSchemas(words: ProductNames): Record<string, Schema> {
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
    Message: object(shownOf(MESSAGE_FIELDS, words)),
    Segments: object({
      encoding: describe(ENCODING.schema, 'UCS-2 as soon as one character is not in GSM-7.'),
      segmentCount: describe(SEGMENT_COUNT.schema, 'What is charged for.'),
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
        responses: { 200: answer, ...problems(400, 401, 403, 404, 409, 413, 429) },
      },
    },
  }
}
