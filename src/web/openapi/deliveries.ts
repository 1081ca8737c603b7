import { ATTEMPT_FIELDS, DELIVERY_FIELDS } from '../../database/endpoints/deliveries/delivery.js'
import {
  answers,
  answersList,
  inPath,
  listOf,
  listParameters,
  nextPage,
  object,
  schemaOf,
  shownOf,
  type Paths,
  type Schema,
} from './parts.js'
import { problems } from './problems.js'
import type { ProductNames } from './product-names.js'

const { type, status } = DELIVERY_FIELDS

export function deliverySchemas(words: ProductNames): Record<string, Schema> {
  const delivery = shownOf(DELIVERY_FIELDS, words)
  const attempt = object(shownOf(ATTEMPT_FIELDS, words))
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
        description: 'They come newest first.',
        parameters: listParameters(words, { type, status }),
        responses: {
          200: answersList('A page of deliveries; as CSV all of them.', schemaOf('Delivery'), nextPage),
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
        description:
          'Each attempt has its status, how long it and its parts took, the headers of both sides, and the beginning of the answer.',
        responses: { 200: answer, ...problems(401, 404) },
      },
    },
    '/v1/deliveries/{deliveryId}/try-now': {
      parameters,
      post: {
        operationId: 'tryDeliveryNow',
        tags,
        summary: 'Make the next attempt of an event now',
        description:
          'It is one of the attempts that the delivery has. This is refused when it does not wait for one, and while its endpoint is paused.',
        responses: { 200: answer, ...problems(400, 401, 404, 409, 413) },
      },
    },
    '/v1/deliveries/{deliveryId}/send-again': {
      parameters,
      post: {
        operationId: 'sendDeliveryAgain',
        tags,
        summary: 'Send an event again, with the same `webhook-id`',
        description: 'This is refused while its attempts are under way.',
        responses: { 200: answer, ...problems(400, 401, 404, 409, 413) },
      },
    },
  }
}
