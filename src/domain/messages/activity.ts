import { OPT_IN_EVENT_TYPES, type OptInEventType } from '../../event-types.js'
import {
  countActivity,
  findActivityDeliveries,
  findActivityKeys,
  findActivityMessages,
  type ActivityCount,
  type ActivityFilter as StoredFilter,
} from '../../database/messages/activity.js'
export type { ActivityCount } from '../../database/messages/activity.js'
import type { Delivery } from '../../database/endpoints/deliveries/delivery.js'
import type { Message, MessageType } from '../../database/messages/message.js'
import type { Page } from '../../database/lists.js'
import type { Context } from '../context.js'

/** A message with the results of its events, or a delivery of an event that is not about a message. */
export interface Activity {
  /** Its place in the list, and the cursor of its page. */
  id: string
  message: Message | undefined
  /** The deliveries, oldest first. */
  deliveries: Delivery[]
}

export interface ActivityFilter extends Omit<StoredFilter, 'type' | 'eventType'> {
  /** With an event type other than a received message's, only its deliveries are listed. */
  type?: MessageType | OptInEventType
}

export interface ActivityPage {
  activities: Activity[]
  /** The cursor of the next page; null if there is none. */
  older: string | null
  /** True if there may be older ones that match: only the newest messages were searched so far. */
  isLookedThroughInPart: boolean
}

/** Totals are exact up to this number: counting more takes as long as reading them. */
export const MAX_COUNTED = 1000

/** Lists the user's messages, each with its deliveries, newest first. */
export async function findActivity(
  { db }: Context,
  userId: string,
  filter: ActivityFilter,
  page: Page,
): Promise<ActivityPage> {
  const asked = { ...page, limit: page.limit + 1 }
  const { keys, lookedBackTo } = await findActivityKeys(db, userId, stored(filter), asked)
  const shown = keys.slice(0, page.limit)
  const messageIds = shown.flatMap(({ messageId }) => messageId ?? [])
  const deliveryIds = shown.flatMap(({ messageId, deliveryId }) =>
    messageId === null ? (deliveryId ?? []) : [],
  )
  const [messages, deliveries] = await Promise.all([
    findActivityMessages(db, messageIds),
    findActivityDeliveries(db, { messageIds, deliveryIds }),
  ])
  const messageOf = new Map(messages.map((message) => [message.id, message]))
  const deliveriesOf = new Map<string, Delivery[]>()
  for (const delivery of deliveries) {
    const of = delivery.messageId ?? delivery.id
    deliveriesOf.set(of, [...(deliveriesOf.get(of) ?? []), delivery])
  }
  const isFull = keys.length > page.limit
  return {
    activities: shown.map(({ id, messageId, deliveryId }) => ({
      id,
      message: messageOf.get(messageId ?? ''),
      deliveries: deliveriesOf.get(messageId ?? deliveryId ?? '') ?? [],
    })),
    older: isFull ? (shown.at(-1)?.id ?? null) : lookedBackTo,
    isLookedThroughInPart: !isFull && lookedBackTo !== null,
  }
}

/** Counts to one more than `MAX_COUNTED` at most, and says so if only the newest messages were searched. */
export function countActivities(
  { db }: Context,
  userId: string,
  filter: ActivityFilter,
): Promise<ActivityCount> {
  return countActivity(db, userId, stored(filter), MAX_COUNTED + 1)
}

/** Yields everything that matches the filter, newest first, page by page, as fast as it is taken. */
export async function* readActivity(
  context: Context,
  userId: string,
  filter: ActivityFilter,
): AsyncGenerator<Activity> {
  for (let page: Page = { limit: AT_ONCE }; ;) {
    const { activities, older } = await findActivity(context, userId, filter, page)
    yield* activities
    if (older === null) return
    page = { limit: AT_ONCE, before: older }
  }
}

const AT_ONCE = 500

function stored({ type, ...rest }: ActivityFilter): StoredFilter {
  if (type === undefined) return rest
  const eventType = OPT_IN_EVENT_TYPES.find((each) => each === type)
  return eventType === undefined ? { ...rest, type: type as MessageType } : { ...rest, eventType }
}
