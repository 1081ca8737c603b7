import type { Delivery } from '../database/deliveries/delivery.js'
import { listDeliveries, type DeliveryFilter } from '../database/deliveries/reading.js'
import { OPT_IN_EVENT_TYPES, type OptInEventType } from '../database/events.js'
import type { Direction, Message, MessageType } from '../database/messages/message.js'
import { listMessages } from '../database/messages/reading.js'
import type { Page } from '../database/pages.js'
import { DELIVERY_STATUSES, MESSAGE_STATUSES } from '../states.js'
import type { Context } from './context.js'
import { eachRow } from './each-row.js'
import { EVENT_TYPE_OF } from './events.js'

export type Activity = { kind: 'message'; message: Message } | { kind: 'delivery'; delivery: Delivery }

export interface ActivityFilter {
  /** Both when left out. */
  kind?: Activity['kind']
  lineId?: string
  /** Deliveries go to a URL, neither in nor out: with a direction only messages are shown. */
  direction?: Direction
  /** Of an event that tells of something else, only deliveries are shown. */
  type?: MessageType | OptInEventType
  /** Of a message or of a delivery; some states are of both. */
  status?: string
  number?: string
  from?: Date
  until?: Date
}

/** Messages and deliveries of the user's lines in one list, newest first: their ids are of one order. */
export async function findActivity(
  context: Context,
  userId: string,
  { kind, direction, type, ...rest }: ActivityFilter,
  page: Page,
): Promise<Activity[]> {
  // What can have no row is not asked for: that would be the slowest question of all.
  const hasStatus = (statuses: readonly string[]) =>
    rest.status === undefined || statuses.includes(rest.status)
  const eventType = OPT_IN_EVENT_TYPES.find((each) => each === type)
  const messageType = eventType === undefined ? (type as MessageType | undefined) : undefined
  const withMessages = kind !== 'delivery' && eventType === undefined && hasStatus(MESSAGE_STATUSES)
  const withDeliveries = kind !== 'message' && direction === undefined && hasStatus(DELIVERY_STATUSES)
  const typeOfEvent = messageType === undefined ? eventType : EVENT_TYPE_OF[messageType]
  const deliveryFilter: DeliveryFilter = { ...rest, ...(typeOfEvent ? { type: typeOfEvent } : {}) }
  const messageFilter = {
    ...rest,
    ...(direction ? { direction } : {}),
    ...(messageType ? { type: messageType } : {}),
  }
  const [messages, deliveries] = await Promise.all([
    withMessages ? listMessages(context.db, userId, messageFilter, page) : [],
    withDeliveries ? listDeliveries(context.db, userId, deliveryFilter, page) : [],
  ])
  return [
    ...messages.map((message): Activity => ({ kind: 'message', message })),
    ...deliveries.map((delivery): Activity => ({ kind: 'delivery', delivery })),
  ]
    .sort((a, b) => (idOf(a) < idOf(b) ? 1 : -1))
    .slice(0, page.limit)
}

/** All that fit the filter, newest first, page by page, as fast as they are taken. */
export function readActivity(
  context: Context,
  userId: string,
  filter: ActivityFilter,
): AsyncGenerator<Activity> {
  return eachRow((page) => findActivity(context, userId, filter, page), idOf)
}

export function idOf(activity: Activity): string {
  return activity.kind === 'message' ? activity.message.id : activity.delivery.id
}
