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
    description: 'Newest first.',
    query: listParameters({
      type: wordParameter(LINE_EVENT_TYPES).meta({ about: 'Only with this type.' }),
      status: wordParameter(DELIVERY_STATUSES).meta({ about: 'Only with this status.' }),
    }),
    answer: answersList('A page of deliveries, or all of them as CSV.', schemaOf('Delivery'), nextPage),
    act: async (call) => {
      const { context, ctx, userId } = call
      const { before, limit, ...filter } = await call.query()
      await answerList(
        call,
        'deliveries',
        { before, limit },
        (page) => listDeliveries(context.db, userId, { ...filter, ...lineFilterOf(ctx) }, page),
        (each) => presentDelivery(context, each),
      )
    },
  }),
  operation({
    operationId: 'getDelivery',
    at: 'get /v1/deliveries/{deliveryId}',
    may: 'reads lines',
    summary: 'Get a delivery with its attempts',
    description:
      'Each attempt has its status, its duration and timing, the request and response headers, and the beginning of the response.',
    answer: one,
    act: async ({ context, userId, id }) => withAttempts(context, await getDelivery(context, userId, id)),
  }),
  operation({
    operationId: 'tryDeliveryNow',
    at: 'post /v1/deliveries/{deliveryId}/try-now',
    may: 'changes lines',
    summary: 'Retry a waiting event now',
    description:
      "Uses one of the delivery's remaining attempts. Refused if the delivery is not waiting for an attempt, or while its endpoint is paused or disabled.",
    answer: one,
    refusals: [409],
    act: async ({ context, userId, id }) => withAttempts(context, await tryDeliveryNow(context, userId, id)),
  }),
  operation({
    operationId: 'sendDeliveryAgain',
    at: 'post /v1/deliveries/{deliveryId}/send-again',
    may: 'changes lines',
    summary: 'Retry an event, with the same `webhook-id`',
    description:
      'Refused while automatic attempts are in progress, and if the endpoint was deleted or the application disconnected.',
    answer: one,
    refusals: [409],
    act: async ({ context, userId, id }) =>
      withAttempts(context, await sendDeliveryAgain(context, userId, id)),
  }),
]

function withAttempts(context: Context, { attempts, ...found }: DeliveryWithAttempts) {
  return { ...presentDelivery(context, found), attempts: attempts.map(presentAttempt) }
}
