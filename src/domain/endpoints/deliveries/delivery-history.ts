import { findDeliveryWaits, type DeliveryWait } from '../../../database/endpoints/deliveries/blocking.js'
import type {
  ApplicationDelivery,
  Delivery,
  DeliveryAttempt,
} from '../../../database/endpoints/deliveries/delivery.js'
import {
  findDelivery,
  findDeliveryOwner,
  listAttempts,
  listDeliveriesOfApplication,
  listDeliveriesOfEvent,
} from '../../../database/endpoints/deliveries/reading.js'
import { listEventsOfMessage, type EventOfMessage } from '../../../database/endpoints/events.js'
import { listListenerAttempts, type ListenerAttempt } from '../../../database/endpoints/listener-attempts.js'
import type { Page } from '../../../database/lists.js'
import { UserError } from '../../../errors.js'
import { isId } from '../../../ids.js'
import { getApplication } from '../../applications/applications.js'
import type { Context } from '../../context.js'
import { headersOfAttempt } from './kept-headers.js'

export type DeliveryWithAttempts = Delivery & { attempts: DeliveryAttempt[] }

export type DeliveryOfUser = DeliveryWithAttempts & { userId: string }

/** @throws UserError 404, also for another user's delivery */
export async function getDelivery(
  { db }: Context,
  userId: string,
  id: string,
): Promise<DeliveryWithAttempts> {
  const delivery = isId(id) ? await findDelivery(db, userId, id) : undefined
  if (delivery === undefined) throw new UserError('No such delivery', 404)
  return withAttempts(delivery, await listAttempts(db, [id]))
}

/**
 * Returns any user's delivery, for operators.
 *
 * @throws UserError 404
 */
export async function getAnyDelivery(context: Context, id: string): Promise<DeliveryOfUser> {
  const userId = isId(id) ? await findDeliveryOwner(context.db, id) : undefined
  if (userId === undefined)
    throw new UserError(`No delivery has the ID ${id}. See \`linehook delivery list\``, 404)
  return { ...(await getDelivery(context, userId, id)), userId }
}

/** The reader does not see the requests to another user's endpoint, or its responses. */
export function withAttempts(delivery: Delivery, all: readonly DeliveryAttempt[]): DeliveryWithAttempts {
  const attempts = all.filter(({ deliveryId }) => deliveryId === delivery.id)
  return {
    ...delivery,
    attempts: attempts.map((attempt) =>
      delivery.isForeign
        ? { ...attempt, requestHeaders: null, responseHeaders: null, responseExcerpt: null }
        : {
            ...attempt,
            requestHeaders:
              attempt.requestHeaders &&
              headersOfAttempt(attempt.requestHeaders, { ...attempt, eventId: delivery.eventId }),
          },
    ),
  }
}

export interface EventWithDeliveries extends EventOfMessage {
  /** The deliveries, oldest first, each with its attempts. */
  deliveries: DeliveryWithAttempts[]
  /** The attempts of programs that listened to the line, oldest first. */
  listenerAttempts: ListenerAttempt[]
}

/** Finds the events of a message with their deliveries, oldest first. */
export async function findEvents(
  { db }: Context,
  userId: string,
  messageId: string,
): Promise<EventWithDeliveries[]> {
  const found: EventWithDeliveries[] = []
  for (const event of await listEventsOfMessage(db, userId, messageId)) {
    const deliveries = await listDeliveriesOfEvent(db, userId, event.id)
    const attempts = await listAttempts(
      db,
      deliveries.map(({ id }) => id),
    )
    found.push({
      ...event,
      deliveries: deliveries.map((delivery) => withAttempts(delivery, attempts)),
      listenerAttempts: await listListenerAttempts(db, [event.id]),
    })
  }
  return found
}

/** Finds what each pending delivery waits for besides its time, by its id. */
export async function findWaits(
  { db, config }: Context,
  deliveries: readonly Pick<Delivery, 'id' | 'status'>[],
): Promise<Map<string, DeliveryWait>> {
  const ids = deliveries.filter(({ status }) => status === 'pending').map(({ id }) => id)
  if (ids.length === 0) return new Map()
  const waits = await findDeliveryWaits(db, ids, config.endpointMaxInFlight)
  return new Map(waits.map((wait) => [wait.id, wait]))
}

/**
 * Lists the deliveries to the user's application, newest first.
 *
 * @throws UserError 404
 */
export async function findDeliveriesOfApplication(
  context: Context,
  userId: string,
  applicationId: string,
  page: Page,
): Promise<ApplicationDelivery[]> {
  const { id } = await getApplication(context, userId, applicationId)
  return listDeliveriesOfApplication(context.db, id, page)
}
