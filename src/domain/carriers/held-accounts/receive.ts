import { setTimeout as sleep } from 'node:timers/promises'
import { readTexts, type EncodedText } from '../../../carriers/alphabets/encoded-text.js'
import type {
  Arrival,
  ArrivedText,
  CarriedReceipt,
  ListenTools,
  ReceiptTaken,
  TextOutcome,
  TextPart,
} from '../../../carriers/listening.js'
import { confirmArrivals, takeArrival, type ArrivalRecord } from '../../../database/messages/arrivals.js'
import { transaction } from '../../../database/connection.js'
import { isHandingOver } from '../../../database/messages/receipts.js'
import { insertPart } from '../../../database/text-parts.js'
import { storable } from '../../../database/text.js'
import { sha256 } from '../../../secrets.js'
import type { Context } from '../../context.js'
import { countReceipt, takeReceipt } from '../../messages/receipts.js'
import { receiveMessage } from '../../messages/receive.js'
import { keepUnclearCallback } from '../unclear-callbacks.js'
import { findLineOf, senderOf } from './addresses.js'
import { receiveIfComplete } from './long-texts.js'

/** An account with sessions that receive. */
export interface HeldAccount {
  id: string
  name: string
  kind: string
  /** The open sessions of this process, of all accounts. */
  openSessionIds: () => string[]
}

/** Makes the tools that process what the sessions of an account receive. */
export function receivingTools(
  context: Context,
  account: HeldAccount,
): Pick<ListenTools, 'receiveText' | 'receiveReceipt' | 'confirmTexts' | 'keepUnclear'> {
  const isNew = newNumbers()
  return {
    receiveText: (arrival, text) => receiveText(context, account, arrival, text),
    receiveReceipt: (receipt) => receiveReceipt(context, account, receipt),
    confirmTexts: (ids) => confirmArrivals(context.db, ids),
    keepUnclear: ({ why, body, toNumber }) =>
      keepUnclearArrival(context, account, why, body, toNumber === undefined || isNew(toNumber)),
  }
}

async function receiveText(
  context: Context,
  account: HeldAccount,
  arrival: Arrival,
  { from, to, body, part }: ArrivedText,
): Promise<TextOutcome> {
  const line = await findLineOf(context, account.name, to)
  if (line === undefined) return { kind: 'no_line' }
  const fromNumber = storable(senderOf(from, line))
  const parties = { carrierAccount: account.name, fromNumber, toNumber: line.number }
  const record = recordOf(account, arrival)
  const earlierId =
    part === undefined
      ? await receiveWhole(context, parties, readTexts([body]), record)
      : await receivePart(context, parties, body, part, record)
  return { kind: 'taken', confirmId: earlierId ?? arrival.id }
}

interface Parties {
  carrierAccount: string
  fromNumber: string
  toNumber: string
}

/** @returns the arrival that this one repeats */
async function receiveWhole(
  context: Context,
  parties: Parties,
  text: string,
  arrival: ArrivalRecord,
): Promise<string | undefined> {
  const content = { type: 'inboundText', text } as const
  const inbound = { ...parties, carrierMessageId: arrival.id, content }
  const outcome = await receiveMessage(context, inbound, { arrival })
  return outcome.kind === 'repeat' ? outcome.earlierId : undefined
}

/** Stores one of several parts. The whole text is received with the last of them. */
async function receivePart(
  context: Context,
  parties: Parties,
  body: EncodedText,
  { number, ...whole }: TextPart,
  arrival: ArrivalRecord,
): Promise<string | undefined> {
  const longText = { ...parties, ...whole }
  const earlierId = await transaction(context.db, async (trx) => {
    const earlier = await takeArrival(trx, arrival)
    if (earlier === undefined) await insertPart(trx, longText, { id: arrival.id, number, ...body })
    return earlier
  })
  // This is done after a repeat too: the process that took it first may have ended before this.
  await receiveIfComplete(context, longText)
  return earlierId
}

/** It is stored as if it had come in a callback, in hexadecimal. */
async function keepUnclearArrival(
  context: Context,
  account: HeldAccount,
  why: string,
  body: Buffer,
  isLogged: boolean,
): Promise<void> {
  const request = {
    method: 'PDU',
    query: new URLSearchParams(),
    body: Buffer.from(body.toString('hex')),
    header: () => 'text/plain',
  }
  await keepUnclearCallback(context, account, { why, name: 'received', request, isLogged })
}

/**
 * Bounds the memory: an address has 20 characters at most. With fewer, the log of an account that is shared with another
 * system would repeat itself.
 */
const MAX_NOTED = 1000

/** @returns a function that returns true for the first text to a number, which is enough for the log */
function newNumbers(): (number: string) => boolean {
  const noted = new Set<string>()
  return (number) => {
    if (noted.has(number)) return false
    if (noted.size >= MAX_NOTED) noted.clear()
    noted.add(number)
    return true
  }
}

function recordOf(
  account: HeldAccount,
  { id, digest, sessionId, silentMs, rememberedMs }: Arrival,
): ArrivalRecord {
  return {
    id,
    digest: sha256(`${account.id}:${digest.toString('base64')}`),
    sessionId,
    openSessionIds: [sessionId, ...account.openSessionIds()],
    silentMs,
    rememberedMs,
  }
}

/**
 * A receipt may be faster than the worker that records its message, or than the carrier's answer. It waits while a text
 * that it may be about is being handed over. After this time, it has to come again, because it takes up one of the
 * carrier's slots, and a text may be behind it.
 */
const RECEIPT_WAITS_MS = [300, 1000, 3000]

async function receiveReceipt(
  context: Context,
  account: HeldAccount,
  { otherIds, numbers, isMarked, ...receipt }: CarriedReceipt,
): Promise<ReceiptTaken> {
  const arrivedAt = performance.now()
  const given = {
    ...receipt,
    carrierAccount: account.name,
    carrierKind: account.kind,
    carrierMessageId: storable(receipt.carrierMessageId),
    isAnswer: receipt.messageId !== undefined,
    otherIds: otherIds.map(storable),
    ...(numbers && { numbers: numbers.map(storable) }),
  }
  let mayBeEarly = true
  for (const waitMs of RECEIPT_WAITS_MS) {
    if ((await takeReceipt(context, { ...given, mayWait: true })) !== 'of_nothing') return 'taken'
    mayBeEarly = await isHandingOver(context.db, given, performance.now() - arrivedAt)
    if (!mayBeEarly) break
    await sleep(waitMs)
  }
  if ((await takeReceipt(context, given)) !== 'of_nothing') return 'taken'
  if (!isMarked) return 'of_nothing'
  if (mayBeEarly) return 'early'
  countReceipt(given, 'of_nothing')
  context.log.info({ carrierAccountId: account.id, outcome: receipt.status }, 'receipt.of_nothing')
  return 'of_nothing'
}
