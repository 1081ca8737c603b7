import { MAX_SIMULATED_MEDIA } from '../../domain/simulator/simulator.js'
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
    version: describe(text, 'The version of Linehook.'),
    postgres: oneOf('ok', 'unreachable'),
    redis: describe(oneOf('ok', 'unreachable'), 'Messages are accepted even without Redis.'),
  }),
}

export const servicePaths: Paths = {
  '/healthz': {
    get: {
      operationId: 'isAlive',
      tags,
      summary: 'Check that the process is running',
      security: [],
      description: 'Does not check Postgres or Redis. It responds as long as the process is running.',
      responses: {
        200: answers('The process is running.', object({ status: oneOf('ok') })),
        ...tooManyFields,
      },
    },
  },
  '/.well-known/webhook-keys/{endpointId}': {
    parameters: [inPath('endpointId', "The same as in the policy's `publicKeyUrl`.")],
    get: {
      operationId: 'getPublicKeys',
      tags,
      summary: 'Get the keys that verify `v1a` signatures',
      description:
        'The current key comes first. For 24 hours after a rotation, the previous key is included.',
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
      summary: 'Check whether messages can be accepted',
      description: 'For load balancers. Checks Postgres and Redis.',
      security: [],
      responses: {
        200: answers('Messages can be accepted.', schemaOf('Readiness')),
        503: answers(
          'Messages cannot be accepted, because Postgres is not responding.',
          schemaOf('Readiness'),
        ),
        ...tooManyFields,
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'getDescription',
      tags,
      summary: 'This document',
      description: "It uses this installation's product word. `/docs` shows it in a readable form.",
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
          'Give `text`, media (`mediaUrl` or `mediaUrls`) or both, or `voicemailUrl` alone. The {line} receives it as if it came from a carrier.',
        summary: `Let a simulator {line} receive a text, media or a voicemail`,
        ...access,
        requestBody: body({
          ...object(
            {
              fromNumber: givenNumber,
              toNumber: describe(givenNumber, `The {line}'s number.`),
              messageId: describe(
                { type: 'string', maxLength: 255, pattern: '^[^\\u0000]*$' },
                "The carrier's message ID. Give one to deliver the same message twice.",
              ),
              text: { type: 'string', minLength: 1, maxLength: 10_000 },
              mediaUrl: givenUrl,
              mediaUrls: { ...listOf(givenUrl), minItems: 1, maxItems: MAX_SIMULATED_MEDIA },
              voicemailUrl: givenUrl,
            },
            ['messageId', 'text', 'mediaUrl', 'mediaUrls', 'voicemailUrl'],
          ),
          // Not `oneOf`: openapi-generator makes no class of such a body.
          if: { not: { required: ['text'] } },
          then: {
            oneOf: [
              { anyOf: [{ required: ['mediaUrl'] }, { required: ['mediaUrls'] }] },
              { required: ['voicemailUrl'] },
            ],
          },
          else: { not: { required: ['voicemailUrl'] } },
        }),
        responses: {
          200: answers('The message was received, or is a repeat of an earlier one.', {
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
        summary: 'List the messages sent to the simulator, newest first',
        description: `The messages that simulator {line}s have sent, as a phone would show them.`,
        ...access,
        parameters: [inQuery('toNumber', text, 'Only messages to this number.')],
        responses: {
          200: answers(
            'The newest messages, up to 1,000.',
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
