import { ATTEMPT_FIELDS, DELIVERY_FIELDS } from '../../database/endpoints/deliveries/delivery.js'
import { listDeliveries } from '../../database/endpoints/deliveries/reading.js'
import type { Context } from '../../domain/context.js'
import { getDelivery, type DeliveryWithAttempts } from '../../domain/endpoints/deliveries/delivery-history.js'
import { sendDeliveryAgain } from '../../domain/endpoints/deliveries/send-again.js'
import { tryDeliveryNow } from '../../domain/endpoints/deliveries/try-now.js'
import { LINE_EVENT_TYPES } from '../../event-types.js'
import { DELIVERY_STATUSES } from '../../states.js'
import { answerList, listParameters } from '../input/paging.js'
import { wordParameter } from '../input/query.js'
import { answers, answersList, listOf, nextPage, object, schemaOf, shownOf } from '../openapi/parts.js'
import { lineFilterOf } from './line-access.js'
import { operationsOf } from './operation.js'
import { presentAttempt, presentDelivery } from './presenters.js'

const delivery = shownOf(DELIVERY_FIELDS)

export const deliverySchemas = {
  Delivery: object(delivery),
  DeliveryWithAttempts: object({ ...delivery, attempts: listOf(object(shownOf(ATTEMPT_FIELDS))) }),
}

const operation = operationsOf('Deliveries')
const one = answers('The delivery.', schemaOf('DeliveryWithAttempts'))

export const deliveryOperations = [
  operation({
    operationId: 'listDeliveries',
    at: 'get /v1/deliveries',
    may: 'reads lines',
    summary: "List the deliveries of your {lines}' events",
    description: 'They come newest first.',
    query: listParameters({
      type: wordParameter(LINE_EVENT_TYPES).meta({ about: 'Only with this type.' }),
      status: wordParameter(DELIVERY_STATUSES).meta({ about: 'Only with this status.' }),
    }),
    answer: answersList('A page of deliveries; as CSV all of them.', schemaOf('Delivery'), nextPage),
    act: async (asked) => {
      const { context, ctx, userId } = asked
      const { before, limit, ...filter } = await asked.query()
      await answerList(
        asked,
        'deliveries',
        { before, limit },
        (page) => listDeliveries(context.db, userId, { ...filter, ...lineFilterOf(ctx) }, page),
        (each) => presentDelivery(context.vocabulary, each),
      )
    },
  }),
  operation({
    operationId: 'getDelivery',
    at: 'get /v1/deliveries/{deliveryId}',
    may: 'reads lines',
    summary: 'Get a delivery with its attempts',
    description:
      'Each attempt has its status, how long it and its parts took, the headers of both sides, and the beginning of the answer.',
    answer: one,
    act: async ({ context, userId, id }) => withAttempts(context, await getDelivery(context, userId, id)),
  }),
  operation({
    operationId: 'tryDeliveryNow',
    at: 'post /v1/deliveries/{deliveryId}/try-now',
    may: 'changes lines',
    summary: 'Make the next attempt of an event now',
    description:
      'It is one of the attempts that the delivery has. This is refused when it does not wait for one, and while its endpoint is paused.',
    answer: one,
    refusals: [409],
    act: async ({ context, userId, id }) => withAttempts(context, await tryDeliveryNow(context, userId, id)),
  }),
  operation({
    operationId: 'sendDeliveryAgain',
    at: 'post /v1/deliveries/{deliveryId}/send-again',
    may: 'changes lines',
    summary: 'Send an event again, with the same `webhook-id`',
    description: 'This is refused while its attempts are under way.',
    answer: one,
    refusals: [409],
    act: async ({ context, userId, id }) =>
      withAttempts(context, await sendDeliveryAgain(context, userId, id)),
  }),
]

function withAttempts({ vocabulary }: Context, { attempts, ...found }: DeliveryWithAttempts) {
  return { ...presentDelivery(vocabulary, found), attempts: attempts.map(presentAttempt) }
}
