import { MESSAGE_EVENT_TYPES, type EventType } from '../../../../event-types.js'
import type { OwnLine } from '../../../../database/lines/lines.js'
import { contactNumberOf, type Message } from '../../../../database/messages/message.js'
import { findMessageWait, type MessageWait } from '../../../../database/messages/waiting.js'
import type { DeliveryWait } from '../../../../database/endpoints/deliveries/blocking.js'
import { listPausesOfLine, type SendingPause } from '../../../../database/operating/pauses.js'
import { listReplaysOfEvent, type EventReplay } from '../../../../database/endpoints/replaying.js'
import { findContacts } from '../../../../domain/lines/contacts.js'
import type { Context } from '../../../../domain/context.js'
import {
  findEvents,
  findWaits,
  type EventWithDeliveries,
} from '../../../../domain/endpoints/deliveries/delivery-history.js'
import { getOwnLine } from '../../../../domain/lines/lines.js'
import { getMessage } from '../../../../domain/messages/get-message.js'
import { findPeerState } from '../../../../domain/messages/opt-out/peers.js'
import { isId, newId } from '../../../../ids.js'
import type { Page } from '../../page.js'
import { openAttempt, type AskedAttempt, type OpenedAttempt } from './opened-attempt.js'

const MAX_REPLAYS = 20

/** The data for the parts of a message's page. */
export interface MessageView {
  page: Page
  /** The page's own address, without a query. */
  path: string
  /** False if an operator looks at it, who can only read it. */
  isOwner: boolean
  message: Message
  line: OwnLine
  /** Those of a received message, with their replays to other URLs. */
  events: (EventWithDeliveries & { replays: EventReplay[] })[]
  /** The events for endpoints that asked for them. */
  optInEvents: EventWithDeliveries[]
  opened: OpenedAttempt | undefined
  /** The reason why a queued message waits, if nothing is paused. */
  wait: MessageWait | undefined
  /** The reasons why deliveries wait, by their ids. */
  waits: Map<string, DeliveryWait>
  /** The owner's name for the other party's number, which only the owner sees. */
  contactName: string | null | undefined
  /** The obstacles between the line and the other party's number. */
  obstacles: Awaited<ReturnType<typeof findPeerState>>
  /** The pauses that keep the message from being sent, nearest first. */
  pauses: SendingPause[]
  /** The key of one request to send it again, which stays the same while the page is open. */
  key: string
}

/**
 * @param reader.userId the user whose message it is
 * @param asked.key the key of the form that the reader has already; anything else is replaced by a new one
 * @throws UserError 404
 */
export async function viewMessage(
  context: Context,
  { userId, ...reader }: Pick<MessageView, 'page' | 'path' | 'isOwner'> & { userId: string },
  messageId: string,
  { key = '', ...asked }: AskedAttempt & { key?: string },
): Promise<MessageView> {
  const message = await getMessage(context, userId, messageId)
  const { lineId } = message
  const number = contactNumberOf(message)
  const isStoppable = message.status === 'queued' && message.source !== 'service'
  const [line, contacts, obstacles, events, pauses] = await Promise.all([
    getOwnLine(context, userId, lineId),
    findContacts(context, userId, reader.isOwner ? [number] : []),
    findPeerState(context, userId, lineId, number),
    findEvents(context, userId, message.id),
    isStoppable ? listPausesOfLine(context.db, lineId) : [],
  ])
  const isOfReceived = ({ type }: { type: EventType }) =>
    (MESSAGE_EVENT_TYPES as readonly EventType[]).includes(type)
  return {
    ...reader,
    message,
    line,
    contactName: contacts.get(number)?.name,
    obstacles,
    events: await Promise.all(
      events.filter(isOfReceived).map(async (event) => ({
        ...event,
        replays: await listReplaysOfEvent(context.db, userId, event.id, MAX_REPLAYS),
      })),
    ),
    pauses,
    optInEvents: events.filter((each) => !isOfReceived(each)),
    opened: await openAttempt(context, events, asked),
    wait:
      message.status === 'queued' && pauses.length === 0
        ? await findMessageWait(context.db, messageId)
        : undefined,
    waits: await findWaits(
      context,
      events.flatMap(({ deliveries }) => deliveries),
    ),
    key: isId(key) ? key : newId(),
  }
}
