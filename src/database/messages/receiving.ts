import type { MessageEventType } from '../../event-types.js'
import { arrivalFields, type ArrivalRecord } from './arrivals.js'
import type { AccountVersion } from '../carriers/carrier-accounts.js'
import { callFunction } from '../answers.js'
import type { Database } from '../connection.js'
import type { NewDelivery } from '../endpoints/deliveries/creating.js'
import type { MediaPurpose } from '../media/reading.js'
import { toJson } from '../text.js'
import type { MessageType } from './message.js'

/** A message that a carrier has delivered. The ids are made on arrival, so they show the order of arrival. */
export interface ReceiveRequest {
  messageId: string
  eventId: string
  /** Its deliveries get ids that are derived from this one. */
  deliveryId: string
  carrierAccount: string
  carrierMessageId: string
  /** How a repeat is recognized; the default is the carrier's id. */
  toldBy?: ToldBy | undefined
  /**
   * The account whose signature let it in. If it was changed or removed since, the answer is `account_changed`. The
   * line must be at this account. If left out, the caller has checked both.
   */
  account?: AccountVersion | undefined
  /** Both are E.164; `toNumber` is the line's. */
  fromNumber: string
  toNumber: string
  type: MessageType
  /** The event about the text; undefined if there are only media. */
  eventType: MessageEventType | undefined
  text: string | null
  /** In order. */
  media: readonly ReceivedMedia[]
}

/** The media to copy before its event goes out. `url` is where our copy will be. */
export interface ReceivedMedia {
  id: string
  eventId: string
  eventType: MessageEventType
  token: string
  url: string
  sourceUrl: string
  purpose: MediaPurpose
}

export type ToldBy =
  | { arrival: ArrivalRecord }
  /** The parts of a long text, which came one by one. The process that takes them makes the message. */
  | { partIds: readonly string[] }

export interface Received {
  kind: 'received'
  lineId: string
  /** The deliveries that may go out, to be enqueued. */
  deliveries: NewDelivery[]
  /** True if the sender's window stays as it is. */
  isPaused: boolean
  /** True if this message has paused them. */
  hasPaused: boolean
  /** True if a message waits to be sent to the sender, or is on its way. */
  isWaitedFor: boolean
}

export type ReceiveAnswer =
  | Received
  /** It was delivered before. `earlierId` is the arrival that it repeats. */
  | { kind: 'repeat'; earlierId?: string }
  | { kind: 'no_line' }
  | { kind: 'account_changed' }

interface Row {
  n: number
  outcome: 'received' | 'repeat' | 'account_changed'
  earlierId: string | null
  lineId: string
  deliveries: NewDelivery[]
  isPaused: boolean
  hasPaused: boolean
  isWaitedFor: boolean
}

/**
 * Receives messages from carriers, in one transaction for the batch (`receive_messages`). The batch is in order of
 * arrival, and so are the answers. Doing it twice is harmless.
 */
export async function receiveMessages(
  db: Database,
  requests: readonly ReceiveRequest[],
): Promise<ReceiveAnswer[]> {
  const rows = await callFunction<'receive_messages', Row>(db, 'receive_messages', '?::jsonb', [
    toJson(requests.map(asRow)),
  ])
  const byPlace = new Map(rows.map((row) => [row.n, row]))
  return requests.map((_, n) => asAnswer(byPlace.get(n)))
}

function asRow(request: ReceiveRequest, n: number): object {
  const { media, toldBy, account } = request
  return {
    n,
    id: request.messageId,
    event_id: request.eventId,
    delivery_id: request.deliveryId,
    carrier: request.carrierAccount,
    carrier_id: request.carrierMessageId,
    account_id: account?.id,
    account_version: account?.version,
    from: request.fromNumber,
    to: request.toNumber,
    type: request.type,
    event_type: request.eventType,
    text: request.text,
    ...(media.length > 0 && {
      media: media.map(({ id, eventId, eventType, token, url, sourceUrl, purpose }) => ({
        ...{ id, token, url, purpose },
        ...{ event_id: eventId, event_type: eventType, source_url: sourceUrl },
      })),
    }),
    ...(toldBy && ('arrival' in toldBy ? arrivalFields(toldBy.arrival) : { parts: toldBy.partIds })),
  }
}

function asAnswer(row: Row | undefined): ReceiveAnswer {
  if (row === undefined) return { kind: 'no_line' }
  if (row.outcome === 'account_changed') return { kind: 'account_changed' }
  if (row.outcome === 'repeat')
    return { kind: 'repeat', ...(row.earlierId === null ? {} : { earlierId: row.earlierId }) }
  return {
    kind: 'received',
    lineId: row.lineId,
    deliveries: row.deliveries,
    isPaused: row.isPaused,
    hasPaused: row.hasPaused,
    isWaitedFor: row.isWaitedFor,
  }
}
