import { setTimeout as sleep } from 'node:timers/promises'
import { readText, type SmppText } from '../../carriers/smpp/inbound.js'
import { RESENT_AFTER_MS, type Handled, type SmppDelivery } from '../../carriers/smpp/intake.js'
import { isReceipt, readReceipt } from '../../carriers/smpp/receipts.js'
import type { SmppSettings } from '../../carriers/smpp/settings.js'
import { transaction } from '../../database/connection.js'
import type { Line } from '../../database/lines.js'
import { takeArrival, type Arrival } from '../../database/smpp-inbound.js'
import { insertPart } from '../../database/smpp-parts.js'
import { storable } from '../../database/text.js'
import { sha256 } from '../../secrets.js'
import type { Context } from '../context.js'
import { receiveMessage, takeReceipt } from '../messages/receive.js'
import { receiveIfComplete } from './long-texts.js'
import { findLineOf, senderOf } from './numbers.js'

/** An account whose SMSC brings something. */
export interface SmppAccount {
  id: string
  name: string
  settings: SmppSettings
  /** Those of this process, of all accounts. */
  openSessionIds: () => string[]
}

const TAKEN = 'ESME_ROK'
/** Not to be tried again. */
const REFUSED = 'ESME_RX_P_APPN'
/** A receipt may be faster than the worker that writes down what it is about. */
const RECEIPT_WAITS_MS = [300, 1000, 3000]

/** Takes in one `deliver_sm`: when this resolves, it is committed. @throws Unavailable */
export async function receiveDelivery(
  context: Context,
  account: SmppAccount,
  delivery: SmppDelivery,
): Promise<Handled> {
  if (isReceipt(delivery.pdu)) {
    await takeReport(context, account, delivery)
    return { status: TAKEN }
  }
  const smppText = readText(delivery.pdu, account.settings)
  const line = await findLineOf(context, account.name, smppText.to)
  if (line === undefined) {
    noteStrayNumber(context, account, smppText.to.address)
    return { status: REFUSED }
  }
  if (smppText.text === undefined) {
    context.log.info({ lineId: line.id, carrierAccountId: account.id }, 'smpp.binary_ignored')
    return { status: TAKEN }
  }
  const take = smppText.part === undefined ? takeText : takePart
  const earlier = await take(context, account, delivery, line, smppText)
  return { status: TAKEN, confirmId: earlier ?? delivery.id }
}

type Taken = Promise<string | undefined>

/** @returns the arrival that this one repeats */
async function takeText(
  context: Context,
  account: SmppAccount,
  delivery: SmppDelivery,
  line: Line,
  { from, text = '' }: SmppText,
): Taken {
  const inbound = {
    carrier: account.name,
    carrierMessageId: delivery.id,
    fromNumber: storable(senderOf(from, line)),
    toNumber: line.number,
    content: { type: 'inboundText', text } as const,
  }
  const outcome = await receiveMessage(context, inbound, { arrival: arrivalOf(account, delivery) })
  return outcome.kind === 'repeat' ? outcome.earlierId : undefined
}

/** As `takeText`, for one of several parts: kept, and the whole is received with the last of them. */
async function takePart(
  context: Context,
  account: SmppAccount,
  delivery: SmppDelivery,
  line: Line,
  { from, text = '', part = { reference: 0, total: 1, number: 1 } }: SmppText,
): Taken {
  const { number, ...whole } = part
  const fromNumber = storable(senderOf(from, line))
  const longText = { carrier: account.name, fromNumber, toNumber: line.number, ...whole }
  const earlier = await transaction(context.db, async (trx) => {
    const earlier = await takeArrival(trx, arrivalOf(account, delivery))
    if (earlier === undefined)
      await insertPart(trx, longText, { id: delivery.id, number, text: Buffer.from(text, 'utf16le') })
    return earlier
  })
  // After a repeat too: whoever took it first may have ended before this.
  await receiveIfComplete(context, longText)
  return earlier
}

function arrivalOf(account: SmppAccount, { id, digest, sessionId }: SmppDelivery): Arrival {
  return {
    id,
    digest: sha256(`${account.id}:${digest.toString('base64')}`),
    sessionId,
    openSessionIds: [sessionId, ...account.openSessionIds()],
    silentMs: RESENT_AFTER_MS,
  }
}

async function takeReport(context: Context, account: SmppAccount, { pdu }: SmppDelivery): Promise<void> {
  const receipt = readReceipt(pdu, account.settings)
  if (receipt === undefined) return
  const carrierMessageId = storable(receipt.carrierMessageId)
  for (const waitMs of RECEIPT_WAITS_MS) {
    const outcome = await takeReceipt(context, { ...receipt, carrier: account.name, carrierMessageId })
    if (outcome !== 'of_nothing') return
    await sleep(waitMs)
  }
  context.log.info({ carrierAccountId: account.id, outcome: receipt.status }, 'receipt.of_nothing')
}

const MAX_NOTED = 1000
const noted = new Set<string>()

/** Once for each number: an account may be shared with another system. */
function noteStrayNumber({ log }: Context, { id }: SmppAccount, address: string): void {
  if (noted.has(`${id}:${address}`)) return
  if (noted.size >= MAX_NOTED) noted.clear()
  noted.add(`${id}:${address}`)
  log.warn({ carrierAccountId: id, numberEnd: address.slice(-4) }, 'smpp.number_is_no_line')
}
