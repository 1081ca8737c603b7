import { contentOf, type ReceivedContent } from '../../carriers/records.js'
import { transaction } from '../../database/connection.js'
import { applyReceipts } from '../../database/messages/receipts.js'
import { listSimulatedMessages, takeDueReceipts } from '../../database/simulator/simulator-outbox.js'
import { storable } from '../../database/text.js'
import { UserError } from '../../errors.js'
import { newId } from '../../ids.js'
import type { Context } from '../context.js'
import { followReceipts } from '../messages/receipts.js'
import { receiveMessage, type ReceiveOutcome } from '../messages/receive.js'
import { asSender, canReceive } from '../lines/senders.js'
import { parseNumber } from '../messages/phone-number.js'
import { senderKindOf } from '../../kit/text/sender-kind.js'

/** The name of the built-in account and carrier. */
export const SIMULATOR = 'simulator'
/** This bounds the transaction in which receipts are taken and applied. The rest comes a second later. */
const RECEIPT_BATCH = 500
/** Tests look for their messages here, so it has many; all of them are in one answer, so there is a bound. */
const MAX_OUTBOX = 1000
/** This is more than a message stores, so that people can try out what happens to the rest. */
export const MAX_SIMULATED_MEDIA = 20

export interface SimulatedInbound {
  fromNumber: string
  toNumber: string
  /** The carrier's id of the message, to repeat a message; the default is a new one. */
  messageId?: string
  text?: string
  /** Either of the two. */
  mediaUrl?: string
  mediaUrls?: readonly string[]
  voicemailUrl?: string
}

/**
 * Delivers a message from the simulator's network to a line at the simulator. Lines of other carriers get messages
 * only from their carrier.
 *
 * @param userId limits it to the user's lines; by default any line is allowed
 * @throws UserError naming the field; 404 if there is no such line
 */
export async function simulateInbound(
  context: Context,
  inbound: SimulatedInbound,
  userId?: string,
): Promise<ReceiveOutcome> {
  const message = {
    carrierAccount: SIMULATOR,
    carrierMessageId: inbound.messageId ?? newId(),
    fromNumber: readNumber('fromNumber', inbound.fromNumber),
    toNumber: asSender(inbound.toNumber),
    content: readContent(inbound),
  }
  const { toNumber } = message
  const line = await context.batched.findLineByNumber(storable(toNumber))
  const kind = senderKindOf(toNumber)
  const isName = !canReceive(kind)
  if (line?.carrierAccount !== SIMULATOR || (userId !== undefined && line.userId !== userId)) {
    // A value that cannot be a number gets an error.
    if (isName || kind === 'number') readNumber('toNumber', toNumber)
    throw new UserError('toNumber is not a simulator line. See `linehook line list`', 404)
  }
  if (isName) {
    throw new UserError(`toNumber ${toNumber} is a name. Such a line can only send, not receive`)
  }
  return receiveMessage(context, message)
}

/**
 * Lists the messages that the simulator took, newest first, at most 1,000.
 *
 * @param userId limits it to the user's lines; by default all are listed
 * @throws UserError
 */
export async function readOutbox({ db }: Context, toNumber: string | undefined, userId?: string) {
  const number = toNumber === undefined ? undefined : readNumber('toNumber', toNumber)
  const messages = await listSimulatedMessages(db, { toNumber: number, userId }, MAX_OUTBOX)
  return messages.map((each) => ({ ...each, mediaUrl: each.mediaUrls[0] ?? null }))
}

/**
 * Sends the due receipts. `maintenance` does this, so that a receipt comes even if the worker that sent the text has
 * died.
 *
 * @returns the number of messages that changed
 */
export async function sendSimulatedReceipts(context: Context): Promise<number> {
  const changes = await transaction(context.db, async (trx) => {
    const due = await takeDueReceipts(trx, RECEIPT_BATCH)
    if (due.length === 0) return undefined
    return applyReceipts(
      trx,
      due.map((ids) => ({ ...ids, carrierAccount: SIMULATOR, status: 'delivered' })),
    )
  })
  if (changes === undefined) return 0
  await followReceipts(context, changes)
  return changes.changed.length
}

function readContent({
  text = '',
  mediaUrl = '',
  mediaUrls,
  voicemailUrl = '',
}: SimulatedInbound): ReceivedContent {
  if (mediaUrl !== '' && mediaUrls !== undefined) throw new UserError('Give mediaUrl or mediaUrls, not both')
  const urls = mediaUrls ?? (mediaUrl === '' ? [] : [mediaUrl])
  const isCall = voicemailUrl !== ''
  if (isCall === (text !== '' || urls.length > 0))
    throw new UserError('Give text, mediaUrl (or mediaUrls) or both, or voicemailUrl alone')
  return isCall ? { type: 'voiceMail', url: voicemailUrl } : contentOf(text, urls)
}

/**
 * @returns the number in E.164
 * @throws UserError naming the field
 */
export function readNumber(field: string, value: string): string {
  const parsed = parseNumber(value, null)
  if (parsed === undefined) throw new UserError(`${field} must be a phone number, such as +15551234567`)
  return parsed.number
}
