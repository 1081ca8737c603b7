import { noteReceived } from '../../database/application-lines.js'
import { available, transaction, type Database } from '../../database/connection.js'
import { findEndpointsOfLine, insertDelivery, type NewDelivery } from '../../database/deliveries/creating.js'
import { insertEvent, type EventType } from '../../database/events.js'
import {
  applyReceipts,
  claimCarrierMessageId,
  insertReceivedMessage,
  noteContact,
  type Receipt,
} from '../../database/messages/receiving.js'
import type { Conversation } from '../../database/messages/turns.js'
import { storable } from '../../database/text.js'
import { asError, UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import type { Context } from '../context.js'
import { MESSAGE_TYPE_OF } from '../events.js'
import { readOptOut } from '../opt-out.js'
import { numberWindowKey } from './send.js'

export interface InboundMessage {
  carrier: string
  carrierMessageId: string
  /** E.164, both; `toNumber` is the line's. */
  fromNumber: string
  toNumber: string
  content: { type: 'inboundText'; text: string } | { type: 'inboundMedia' | 'voiceMail'; url: string }
}

export type ReceiveOutcome =
  | { kind: 'received'; messageId: string; deliveryCount: number }
  /** The carrier has brought this message before: nothing was done again. */
  | { kind: 'repeat' }

/** In the transaction of the message. @returns false when the carrier has brought it before */
export type ClaimInbound = (trx: Database, messageId: string) => Promise<boolean>

/**
 * Takes in what a carrier brings: message, event and one delivery per endpoint in one transaction; only after it
 * the answer. The number's window starts anew (specification §6), and its first waiting message gets its turn.
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
  const mediaUrl = inbound.content.type === 'inboundText' ? null : storable(inbound.content.url)

  const deliveries = await available(() =>
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
      await noteContact(trx, {
        lineId: line.id,
        number: inbound.fromNumber,
        optOut: text === null ? undefined : readOptOut(text),
      })
      const eventId = newId()
      await insertEvent(trx, {
        id: eventId,
        userId: line.userId,
        lineId: line.id,
        messageId,
        type: type satisfies EventType,
        payload: text ?? mediaUrl ?? '',
        fromNumber: inbound.fromNumber,
        toNumber: line.number,
      })
      const deliveries: NewDelivery[] = []
      const endpoints = line.status === 'active' ? await findEndpointsOfLine(trx, line.id) : []
      for (const { endpointId, isDisabled, applicationId } of endpoints) {
        const id = newId()
        await insertDelivery(trx, {
          id,
          userId: line.userId,
          lineId: line.id,
          eventId,
          endpointId,
          applicationId,
          isHeld: isDisabled,
          type,
          fromNumber: inbound.fromNumber,
        })
        if (!isDisabled) deliveries.push({ id, endpointId, generation: 0 })
      }
      const applicationIds = endpoints.flatMap((each) => each.applicationId ?? [])
      if (applicationIds.length > 0) await noteReceived(trx, line.id, applicationIds)
      return deliveries
    }),
  )
  if (deliveries === undefined) return { kind: 'repeat' }

  void queues.enqueueDeliveries(deliveries)
  void giveTurn(context, { lineId: line.id, toNumber: inbound.fromNumber })
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
  const [messageId] = await available(() => applyReceipts(context.db, [receipt]))
  if (messageId === undefined) return false
  context.log.info({ messageId, outcome: receipt.status }, 'receipt.received')
  return true
}
