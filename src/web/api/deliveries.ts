import { LINE_EVENT_TYPES } from '../../event-types.js'
import * as yup from 'yup'
import { listDeliveries } from '../../database/endpoints/deliveries/reading.js'
import { getDelivery, type DeliveryWithAttempts } from '../../domain/endpoints/deliveries/delivery-history.js'
import { sendDeliveryAgain } from '../../domain/endpoints/deliveries/send-again.js'
import { tryDeliveryNow } from '../../domain/endpoints/deliveries/try-now.js'
import { DELIVERY_STATUSES } from '../../states.js'
import type { Vocabulary } from '../../vocabulary.js'
import { userOf } from '../middleware/authenticate.js'
import { answerList, listParameters } from '../input/paging.js'
import { readQuery, wordParameter } from '../input/query.js'
import { lineFilterOf } from './line-access.js'
import { onOwn, type Operation } from './owner-operation.js'
import { presentAttempt, presentDelivery } from './presenters.js'

export const getDeliveries: Operation = (context) => {
  const { vocabulary } = context
  const parameters = yup.object({
    ...listParameters(vocabulary),
    type: wordParameter(LINE_EVENT_TYPES),
    status: wordParameter(DELIVERY_STATUSES),
  })
  return async (ctx) => {
    const { before, limit, ...asked } = await readQuery(ctx, parameters, vocabulary)
    const filter = { ...asked, ...lineFilterOf(ctx) }
    await answerList(
      context,
      ctx,
      'deliveries',
      { before, limit },
      (page) => listDeliveries(context.db, userOf(ctx), filter, page),
      (delivery) => presentDelivery(vocabulary, delivery),
    )
  }
}

export const getOneDelivery = onOwn('delivery', async (context, { userId, id }) =>
  withAttempts(context.vocabulary, await getDelivery(context, userId, id)),
)

export const postDeliveryAgain = onOwn('delivery', async (context, { userId, id }) =>
  withAttempts(context.vocabulary, await sendDeliveryAgain(context, userId, id)),
)

export const postDeliveryNow = onOwn('delivery', async (context, { userId, id }) =>
  withAttempts(context.vocabulary, await tryDeliveryNow(context, userId, id)),
)

function withAttempts(vocabulary: Vocabulary, delivery: DeliveryWithAttempts) {
  return { ...presentDelivery(vocabulary, delivery), attempts: delivery.attempts.map(presentAttempt) }
}
