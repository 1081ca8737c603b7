import {
  answers,
  body,
  count,
  describe,
  givenNumber,
  givenUrl,
  id,
  inPath,
  inQuery,
  listOf,
  maybeText,
  moment,
  number,
  object,
  oneOf,
  schemaOf,
  text,
  type Paths,
  type Schema,
} from './parts.js'
import { problems, tooManyFields } from './problems.js'

const tags = ['Service']

export const serviceSchemas: Record<string, Schema> = {
  Readiness: object({
    status: oneOf('ok', 'unavailable'),
    version: describe(text, 'The version of Linehook that answers.'),
    postgres: oneOf('ok', 'unreachable'),
    redis: describe(oneOf('ok', 'unreachable'), 'Messages are accepted without Redis too.'),
  }),
}

export const servicePaths: Paths = {
  '/healthz': {
    get: {
      operationId: 'isAlive',
      tags,
      summary: 'Whether the process lives',
      security: [],
      description: 'This asks neither Postgres nor Redis. It answers as long as the process lives.',
      responses: { 200: answers('The process lives.', object({ status: oneOf('ok') })), ...tooManyFields },
    },
  },
  '/.well-known/webhook-keys/{endpointId}': {
    parameters: [inPath('endpointId', 'As `publicKeyUrl` of a policy has it.')],
    get: {
      operationId: 'getPublicKeys',
      tags,
      summary: 'The keys that verify `v1a` signatures',
      description: 'The current one comes first. For 24 h after a rotation the one before is there too.',
      security: [],
      responses: {
        200: answers('The keys.', object({ keys: listOf({ type: 'string', pattern: '^whpk_' }) })),
        ...problems(404),
      },
    },
  },
  '/readyz': {
    get: {
      operationId: 'isReady',
      tags,
      summary: 'Whether messages can be accepted',
      description: 'This is for a load balancer. It asks Postgres and Redis.',
      security: [],
      responses: {
        200: answers('Messages can be accepted.', schemaOf('Readiness')),
        503: answers('Messages cannot be accepted, because Postgres does not answer.', schemaOf('Readiness')),
        ...tooManyFields,
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'getDescription',
      tags,
      summary: 'This document',
      description: 'It uses the words of this installation. `/docs` shows it to people.',
      security: [],
      responses: { 200: answers('OpenAPI 3.1.', { type: 'object' }), ...tooManyFields },
    },
  },
}

/**
 * These paths exist only while the simulator carrier is on.
 *
 * @param isOpen true if they need no token, because only this machine can reach them
 */
export function simulatorPaths(isOpen: boolean): Paths {
  const simulator = ['Simulator']
  const access = isOpen ? { security: [] } : {}
  const refusals = isOpen ? ([403] as const) : ([401, 403] as const)
  return {
    '/simulator/inbound': {
      post: {
        operationId: 'simulateInbound',
        tags: simulator,
        description:
          'Give `text`, media (`mediaUrl` or `mediaUrls`) or both, or `voicemailUrl` alone. It is received as if a carrier had brought it.',
        summary: `Make a {line} at the simulator receive a text, media or a voicemail`,
        ...access,
        requestBody: body({
          ...object(
            {
              fromNumber: givenNumber,
              toNumber: describe(givenNumber, `The {line}'s number.`),
              messageId: describe(
                { type: 'string', maxLength: 255, pattern: '^[^\\u0000]*$' },
                "The carrier's id of the message. Give one to bring the same message twice.",
              ),
              text: { type: 'string', minLength: 1, maxLength: 10_000 },
              mediaUrl: givenUrl,
              mediaUrls: { ...listOf(givenUrl), minItems: 1 },
              voicemailUrl: givenUrl,
            },
            ['messageId', 'text', 'mediaUrl', 'mediaUrls', 'voicemailUrl'],
          ),
          oneOf: [
            { anyOf: ['text', 'mediaUrl', 'mediaUrls'].map((name) => ({ required: [name] })) },
            { required: ['voicemailUrl'] },
          ],
        }),
        responses: {
          200: answers('It was received now, or is a repeat of one that was received before.', {
            oneOf: [
              object({ kind: { const: 'received' }, messageId: id, deliveryCount: count }),
              object({ kind: { const: 'repeat' } }),
            ],
          }),
          ...problems(400, 404, 413, ...refusals),
        },
      },
    },
    '/simulator/outbox': {
      get: {
        operationId: 'readOutbox',
        tags: simulator,
        summary: 'See what the simulator took, newest first',
        description: `These are the messages that {line}s at the simulator have sent, as a phone would show them.`,
        ...access,
        parameters: [inQuery('toNumber', text, 'Only what was sent to this number.')],
        responses: {
          200: answers(
            'The newest messages, at most 1,000.',
            listOf(
              object({
                messageId: id,
                carrierMessageId: text,
                fromNumber: number,
                toNumber: number,
                text: maybeText,
                mediaUrl: maybeText,
                mediaUrls: listOf(text),
                takenAt: moment,
              }),
            ),
          ),
          ...problems(400, ...refusals),
        },
      },
    },
  }
}
