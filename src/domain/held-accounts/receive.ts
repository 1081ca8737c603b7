import { setTimeout as sleep } from 'node:timers/promises'
import type { Arrival, ArrivedText, ListenTools, TextOutcome, TextPart } from '../../carriers/listening.js'
import type { SentRecord } from '../../carriers/records.js'
import { confirmArrivals, takeArrival, type ArrivalRecord } from '../../database/arrivals.js'
import { transaction } from '../../database/connection.js'
import { insertPart } from '../../database/text-parts.js'
import { storable } from '../../database/text.js'
import { sha256 } from '../../secrets.js'
import type { Context } from '../context.js'
import { countReceipt, receiveMessage, takeReceipt } from '../messages/receive.js'
import { findLineOf, senderOf } from './addresses.js'
import { receiveIfComplete } from './long-texts.js'

/** An account whose sessions bring something. */
export interface HeldAccount {
  id: string
  name: string
  /** Those of this process, of all accounts. */
  openSessionIds: () => string[]
}

/** What the sessions of an account are handed for what they bring. */
export function receivingTools(
  context: Context,
  account: HeldAccount,
): Pick<ListenTools, 'receiveText' | 'receiveReceipt' | 'confirmTexts'> {
  return {
    receiveText: (arrival, text) => receiveText(context, account, arrival, text),
    receiveReceipt: (receipt) => receiveReceipt(context, account, receipt),
    confirmTexts: (ids) => confirmArrivals(context.db, ids),
  }
}

async function receiveText(
  context: Context,
  account: HeldAccount,
  arrival: Arrival,
  { from, to, text, part }: ArrivedText,
): Promise<TextOutcome> {
  const line = await findLineOf(context, account.name, to)
  if (line === undefined) return { kind: 'no_line' }
  if (text === undefined) return { kind: 'binary', lineId: line.id }
  const fromNumber = storable(senderOf(from, line))
  const parties = { carrierAccount: account.name, fromNumber, toNumber: line.number }
  const record = recordOf(account, arrival)
  const earlierId =
    part === undefined
      ? await receiveWhole(context, parties, text, record)
      : await receivePart(context, parties, text, part, record)
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

/** As `receiveWhole`, for one of several parts: it is kept, and the whole is received with the last of them. */
async function receivePart(
  context: Context,
  parties: Parties,
  text: string,
  { number, ...whole }: TextPart,
  arrival: ArrivalRecord,
): Promise<string | undefined> {
  const longText = { ...parties, ...whole }
  const earlierId = await transaction(context.db, async (trx) => {
    const earlier = await takeArrival(trx, arrival)
    if (earlier === undefined)
      await insertPart(trx, longText, { id: arrival.id, number, text: Buffer.from(text, 'utf16le') })
    return earlier
  })
  // After a repeat too: whoever took it first may have ended before this.
  await receiveIfComplete(context, longText)
  return earlierId
}

function recordOf(account: HeldAccount, { id, digest, sessionId, silentMs }: Arrival): ArrivalRecord {
  return {
    id,
    digest: sha256(`${account.id}:${digest.toString('base64')}`),
    sessionId,
    openSessionIds: [sessionId, ...account.openSessionIds()],
    silentMs,
  }
}

/**
 * A receipt may be faster than the worker that writes down what it is about. That takes milliseconds, or some seconds while
 * Postgres is busy. A receipt of another system's message waits in vain, and has one of the intake's 200 places meanwhile.
 */
const RECEIPT_WAITS_MS = [300, 1000, 3000]

async function receiveReceipt(context: Context, account: HeldAccount, receipt: SentRecord): Promise<void> {
  const carrierMessageId = storable(receipt.carrierMessageId)
  const given = { ...receipt, carrierAccount: account.name, carrierMessageId }
  for (const waitMs of RECEIPT_WAITS_MS) {
    const outcome = await takeReceipt(context, given)
    if (outcome !== 'of_nothing') return
    await sleep(waitMs)
  }
  countReceipt(given, 'of_nothing')
  context.log.info({ carrierAccountId: account.id, outcome: receipt.status }, 'receipt.of_nothing')
}
