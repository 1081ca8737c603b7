import {
  answers,
  body,
  count,
  describe,
  givenNumber,
  givenUrl,
  id,
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
import type { ProductNames } from './product-names.js'

const tags = ['Service']

export const serviceSchemas: Record<string, Schema> = {
  Readiness: object({
    status: oneOf('ok', 'unavailable'),
    postgres: oneOf('ok', 'unreachable'),
    redis: describe(oneOf('ok', 'unreachable'), 'Not needed to accept messages.'),
  }),
}

export const servicePaths: Paths = {
  '/healthz': {
    get: {
      operationId: 'isAlive',
      tags,
      summary: 'Whether the process lives',
      security: [],
      description: 'Asks nothing of the stores: it answers as long as the process does.',
      responses: { 200: answers('It does.', object({ status: oneOf('ok') })), ...tooManyFields },
    },
  },
  '/readyz': {
    get: {
      operationId: 'isReady',
      tags,
      summary: 'Whether messages can be accepted',
      description: 'For a load balancer: asks Postgres and Redis.',
      security: [],
      responses: {
        200: answers('They can.', schemaOf('Readiness')),
        503: answers('They cannot: Postgres does not answer.', schemaOf('Readiness')),
        ...tooManyFields,
      },
    },
  },
  '/openapi.json': {
    get: {
      operationId: 'getDescription',
      tags,
      summary: 'This document',
      description: 'In the words of this installation. `/docs` shows it to people.',
      security: [],
      responses: { 200: answers('OpenAPI 3.1.', { type: 'object' }), ...tooManyFields },
    },
  },
}

/**
 * Only while the simulator carrier is on.
 *
 * @param isOpen to everybody who reaches it, who is on this machine
 */
export function simulatorPaths({ line }: ProductNames, isOpen: boolean): Paths {
  const simulator = ['Simulator']
  const access = isOpen ? { security: [] } : {}
  const refusals = isOpen ? ([403] as const) : ([401, 403] as const)
  return {
    '/simulator/inbound': {
      post: {
        operationId: 'simulateInbound',
        tags: simulator,
        description: 'Exactly one of `text`, `mediaUrl` and `voicemailUrl`, as if a carrier had brought it.',
        summary: `Make a ${line} at the simulator receive a text, media or a voicemail`,
        ...access,
        requestBody: body({
          ...object(
            {
              fromNumber: givenNumber,
              toNumber: describe(givenNumber, `The ${line}'s.`),
              messageId: describe(
                { type: 'string', maxLength: 255, pattern: '^[^\\u0000]*$' },
                'To bring the same one twice.',
              ),
              text: { type: 'string', minLength: 1, maxLength: 10_000 },
              mediaUrl: givenUrl,
              voicemailUrl: givenUrl,
            },
            ['messageId', 'text', 'mediaUrl', 'voicemailUrl'],
          ),
          oneOf: [{ required: ['text'] }, { required: ['mediaUrl'] }, { required: ['voicemailUrl'] }],
        }),
        responses: {
          200: answers('It was received, or was before.', {
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
        description: `What ${line}s at the simulator have sent, as a telephone would show it.`,
        ...access,
        parameters: [inQuery('toNumber', text, 'Only what was sent to this number.')],
        responses: {
          200: answers(
            'At most 1,000.',
            listOf(
              object({
                messageId: id,
                carrierMessageId: text,
                fromNumber: number,
                toNumber: number,
                text: maybeText,
                mediaUrl: maybeText,
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
