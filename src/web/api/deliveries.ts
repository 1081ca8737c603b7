import * as yup from 'yup'
import { sendDeliveryAgain } from '../../domain/deliveries/again.js'
import { findDeliveries, getDelivery, type DeliveryWithAttempts } from '../../domain/deliveries/read.js'
import type { Vocabulary } from '../../vocabulary.js'
import { userOf } from '../middleware/authenticate.js'
import { answerList, pageParameters } from '../paging.js'
import { idParameter, momentParameter, numberParameter, readQuery, wordParameter } from '../query.js'
import { onOwn, type Operation } from './own.js'
import { presentAttempt, presentDelivery } from './presenters.js'

export const EVENT_TYPES = ['inboundText', 'inboundMedia', 'voiceMail'] as const
export const DELIVERY_STATUSES = ['pending', 'delivering', 'delivered', 'exhausted', 'held'] as const

export const getDeliveries: Operation = (context) => {
  const { vocabulary } = context
  const parameters = yup.object({
    ...pageParameters,
    lineId: idParameter().label(vocabulary.idField),
    type: wordParameter(EVENT_TYPES),
    status: wordParameter(DELIVERY_STATUSES),
    number: numberParameter(),
    from: momentParameter(),
    until: momentParameter(),
  })
  return async (ctx) => {
    const { before, limit, ...filter } = await readQuery(ctx, parameters, vocabulary)
    await answerList(
      context,
      ctx,
      limit,
      (count) => findDeliveries(context, userOf(ctx), filter, { before, limit: count }),
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

function withAttempts(vocabulary: Vocabulary, delivery: DeliveryWithAttempts) {
  return { ...presentDelivery(vocabulary, delivery), attempts: delivery.attempts.map(presentAttempt) }
}
