import { EVENT_TYPES, OPT_IN_EVENT_TYPES } from '../../database/events.js'
import { DELIVERY_STATUSES } from '../../states.js'
import { listParameters, nextPage } from './lists.js'
import {
  answers,
  count,
  describe,
  id,
  inPath,
  listOf,
  maybeId,
  maybeMoment,
  maybeText,
  moment,
  number,
  object,
  oneOf,
  schemaOf,
  url,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

export const eventType = describe(
  oneOf(...EVENT_TYPES, ...OPT_IN_EVENT_TYPES),
  'Besides the first three an endpoint gets only what it asked for (`optInEvents`); `lineDisconnected` is for applications.',
)
const status = describe(
  oneOf(...DELIVERY_STATUSES),
  '`exhausted`: its attempts are used up, or the application may have no more. `held`: its endpoint is disabled.',
)

export function deliverySchemas({ vocabulary, line }: ProductNames): Record<string, Schema> {
  const delivery = {
    id,
    [vocabulary.idField]: id,
    eventId: describe(id, 'The header `webhook-id` of every attempt.'),
    messageId: describe(maybeId, 'The message that was received; null: the event tells of none.'),
    applicationId: describe(maybeId, `The application that gets it; null: the ${line}'s own server.`),
    url: describe(url, "Where it goes; of another user's application only the origin."),
    type: eventType,
    fromNumber: number,
    toNumber: number,
    status,
    attemptCount: count,
    lastFailure: describe(maybeText, "The last failure's name, such as `timeout` or `http_500`."),
    createdAt: moment,
    dueAt: describe(moment, 'While it is pending: when it is tried next.'),
    deliveredAt: maybeMoment,
  }
  const attempt = object({
    attemptNumber: { type: 'integer', minimum: 1 },
    startedAt: moment,
    durationMs: count,
    responseStatus: { type: ['integer', 'null'] },
    responseExcerpt: maybeText,
    failure: describe(maybeText, "The failure's name; null when it succeeded."),
    nextAttemptAt: maybeMoment,
  })
  return {
    Delivery: object(delivery),
    DeliveryWithAttempts: object({ ...delivery, attempts: listOf(attempt) }),
  }
}

export function deliveryPaths(words: ProductNames): Paths {
  const tags = ['Deliveries']
  const parameters = [inPath('deliveryId', "The delivery's id.")]
  const answer = answers('The delivery.', schemaOf('DeliveryWithAttempts'))
  return {
    '/v1/deliveries': {
      get: {
        operationId: 'listDeliveries',
        tags,
        summary: `List the deliveries of your ${words.lines}' events`,
        description: 'Newest first.',
        parameters: listParameters(words, { type: eventType, status }),
        responses: {
          200: answers('A page of deliveries.', listOf(schemaOf('Delivery')), nextPage),
          ...problems(400, 401),
        },
      },
    },
    '/v1/deliveries/{deliveryId}': {
      parameters,
      get: {
        operationId: 'getDelivery',
        tags,
        summary: 'Get a delivery with its attempts',
        description: 'Each attempt with its status, its duration, and the beginning of the answer.',
        responses: { 200: answer, ...problems(401, 404) },
      },
    },
    '/v1/deliveries/{deliveryId}/send-again': {
      parameters,
      post: {
        operationId: 'sendDeliveryAgain',
        tags,
        summary: 'Send an event again, with the same `webhook-id`',
        description: 'Not while its attempts are under way.',
        responses: { 200: answer, ...problems(400, 401, 404, 409, 413) },
      },
    },
  }
}
