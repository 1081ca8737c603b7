import type { ReceivedContent } from '../../carriers/carrier.js'
import { available, transaction, type Database } from '../../database/connection.js'
import { insertEvent, type EventType } from '../../database/events.js'
import { insertMedia } from '../../database/media/creating.js'
import {
  applyReceipts,
  claimCarrierMessageId,
  insertReceivedMessage,
  type Receipt,
} from '../../database/messages/receiving.js'
import type { Conversation } from '../../database/messages/turns.js'
import { storable } from '../../database/text.js'
import { asError, UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import { newToken } from '../../secrets.js'
import type { Context } from '../context.js'
import { createDeliveries } from '../deliveries/create.js'
import { MESSAGE_TYPE_OF } from '../events.js'
import { hostedUrl } from '../media/hosting.js'
import { noteCarrierOptOut } from '../opt-out/carrier-opt-out.js'
import { hearSender } from '../opt-out/hear-sender.js'
import type { Keyword } from '../opt-out/keywords.js'
import { numberWindowKey } from './places.js'
import { followReceipts } from './receipts.js'

export interface InboundMessage {
  carrier: string
  carrierMessageId: string
  /** E.164, both; `toNumber` is the line's. */
  fromNumber: string
  toNumber: string
  /** Our copy of media is what everybody else gets. */
  content: ReceivedContent
  /** What the carrier has read in it about being written to, and answered itself. */
  carrierKeyword?: Keyword
  /** When the carrier got it, of what comes late; left out: now. */
  receivedAt?: Date
}

export type ReceiveOutcome =
  /** `deliveryCount` is 0 for media: theirs are made when there is a copy. */
  | { kind: 'received'; messageId: string; deliveryCount: number }
  /** The carrier has brought this message before: nothing was done again. */
  | { kind: 'repeat' }

/** In the transaction of the message. @returns false when the carrier has brought it before */
export type ClaimInbound = (trx: Database, messageId: string) => Promise<boolean>

/**
 * Takes in what a carrier brings: message, event and one delivery per endpoint in one transaction (with media, the
 * copy that the deliveries wait for); only after it the answer. The number's window starts anew (specification §6), and
 * its first waiting message gets its turn, unless two programs seem to answer each other.
 *
 * @param claim how a repeat is told; by default by the carrier's id
 * @throws UserError 404 when no line has the number
 */
export async function receiveMessage(
  context: Context,
  inbound: InboundMessage,
  claim: ClaimInbound = (trx, messageId) =>
    claimCarrierMessageId(trx, inbound.carrier, storable(inbound.carrierMessageId), messageId),
): Promise<ReceiveOutcome> {
  const { db, queues, log } = context
  const line = await context.batched.findLineByNumber(inbound.toNumber)
  if (line === undefined)
    throw new UserError('toNumber is not the number of a line: see `linehook line list`', 404)
  const messageId = newId()
  const carrierMessageId = storable(inbound.carrierMessageId)
  const { type } = inbound.content
  const text = inbound.content.type === 'inboundText' ? storable(inbound.content.text) : null
  const media =
    inbound.content.type === 'inboundText'
      ? undefined
      : { id: newId(), token: newToken(), sourceUrl: storable(inbound.content.url) }
  const mediaUrl = media === undefined ? null : hostedUrl(context, media.token)

  const received = await available(() =>
    transaction(db, async (trx) => {
      const isNew = await claim(trx, messageId)
      if (!isNew) return undefined
      await insertReceivedMessage(trx, {
        id: messageId,
        userId: line.userId,
        lineId: line.id,
        fromNumber: inbound.fromNumber,
        toNumber: line.number,
        text,
        mediaUrl,
        type: MESSAGE_TYPE_OF[type],
        carrierMessageId,
      })
      const event = {
        id: newId(),
        userId: line.userId,
        lineId: line.id,
        messageId,
        type: type satisfies EventType,
        payload: text ?? mediaUrl ?? '',
        fromNumber: inbound.fromNumber,
        toNumber: line.number,
      }
      await insertEvent(trx, event)
      const { fromNumber, carrierKeyword, receivedAt } = inbound
      const heard = await hearSender(trx, line, {
        id: messageId,
        fromNumber,
        text,
        carrierKeyword,
        receivedAt,
      })
      if (media === undefined) return { deliveries: await createDeliveries(trx, event), heard }
      // It goes out when what its payload names is there (domain/media/settle.ts).
      await insertMedia(trx, {
        ...media,
        userId: line.userId,
        lineId: line.id,
        messageId,
        purpose: type === 'voiceMail' ? 'voicemail' : 'inbound',
        carrier: inbound.carrier,
      })
      return { deliveries: [], heard }
    }),
  )
  if (received === undefined) return { kind: 'repeat' }
  const { deliveries, heard } = received

  void queues.enqueueDeliveries([...deliveries, ...heard.deliveries])
  void queues.enqueueMessages(heard.answers)
  if (media !== undefined) void queues.enqueueMedia([{ id: media.id, generation: 0 }])
  if (!heard.isPaused) void giveTurn(context, { lineId: line.id, toNumber: inbound.fromNumber })
  if (heard.hasPaused) log.warn({ messageId, lineId: line.id }, 'conversation.paused')
  log.info({ messageId, lineId: line.id, type, deliveryCount: deliveries.length }, 'message.received')
  return { kind: 'received', messageId, deliveryCount: deliveries.length }
}

/**
 * Empties the sending window of a number; then its first waiting message gets a new job, which finds a place. In
 * this order: one that is told to wait in between is seen too. If either fails, they wait their minute: less
 * smooth, not wrong.
 */
async function giveTurn({ batched, windows, log }: Context, conversation: Conversation): Promise<void> {
  const { lineId, toNumber } = conversation
  try {
    await windows.clear(numberWindowKey(lineId, toNumber))
    await batched.requeueHead(conversation)
  } catch (error) {
    log.warn({ lineId, err: asError(error) }, 'window.clear_failed')
  }
}

/** A carrier's report on a message that it took. @returns whether it changed anything */
export async function receiveReceipt(context: Context, receipt: Receipt): Promise<boolean> {
  const changes = await available(() => applyReceipts(context.db, [receipt]))
  await followReceipts(context, changes)
  const changed = changes.changed[0]
  if (changed !== undefined && receipt.isOptedOut === true) await noteCarrierOptOut(context, changed)
  const messageId = changed?.id
  if (messageId === undefined) return false
  context.log.info({ messageId, outcome: receipt.status }, 'receipt.received')
  return true
}
