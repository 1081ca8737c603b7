import type { SentRecord } from '../../carriers/records.js'
import {
  linkCarrierMessage,
  noteNoRecord,
  takeUnknownMessages,
  type UnknownRow,
} from '../../database/messages/reconciling.js'
import { isHandingOver } from '../../database/messages/receipts.js'
import { asError } from '../../errors.js'
import { findCarrierClient } from '../carriers/carrier-clients.js'
import type { Context } from '../context.js'
import { receiveReceipt } from './receipts.js'

/**
 * The times are counted from the hand-over. The first is early, in case the carrier has a record already; by the last,
 * a request that was still on its way is surely over.
 */
const ASK_AFTER_SECONDS = [5, 30, 120, 600, 1800]
/**
 * Carriers are not asked about older messages, for example after a long stop. The last question is due at half an
 * hour.
 */
const MAX_AGE_SECONDS = 3600
/** Carriers limit how often they can be asked, and a whole batch is asked in parallel, each second. */
const BATCH = 20

/** This is short enough that a run ends within a process's time to stop, whatever the carriers do. */
const ASK_TIMEOUT_MS = 10_000

/**
 * Asks carriers about messages whose outcome is unknown. If the carrier has a record of the message, its outcome
 * becomes known, as by a receipt. This never sends anything again. Status callbacks that carry our id are faster;
 * this is for messages for which none came.
 *
 * @returns the number of messages that carriers were asked about
 */
export async function reconcile(context: Context): Promise<number> {
  const { db } = context
  const due = await takeUnknownMessages(db, ASK_AFTER_SECONDS, MAX_AGE_SECONDS, BATCH)
  const asked = await Promise.all(due.map((message) => ask(context, message)))
  return asked.filter(Boolean).length
}

/** A carrier that cannot be asked now is asked at the next step. */
async function ask(context: Context, message: UnknownRow): Promise<boolean> {
  const { db, log } = context
  const { id: messageId, account, isLastTime } = message
  try {
    const carrier = await findCarrierClient(context, account)
    if (carrier?.findSent === undefined) return false
    const records = await carrier.findSent(message, AbortSignal.timeout(ASK_TIMEOUT_MS))
    const to = { carrierAccount: account.name, numbers: [message.toNumber] }
    // One of them may be of a message that was claimed since, and whose answer is not recorded yet.
    if (records.length > 0 && (await isHandingOver(db, to, 0))) return true
    const isFound = await takeRecord(context, account, records, message.id)
    if (!isFound && isLastTime) await noteNoRecord(db, messageId, 'carrier_has_no_record')
    log.info({ messageId, carrier: account.name, isFound, isLastTime }, 'message.reconciled')
  } catch (error) {
    log.warn({ messageId, carrier: account.name, err: asError(error) }, 'message.reconcile_failed')
  }
  return true
}

/** Takes the first of the carrier's records that belongs to no other message. */
async function takeRecord(
  context: Context,
  { name: carrier, kind: carrierKind }: UnknownRow['account'],
  records: readonly SentRecord[],
  messageId: string,
): Promise<boolean> {
  for (const record of records) {
    const link = { carrier, carrierMessageId: record.carrierMessageId, messageId }
    const isOurs = await linkCarrierMessage(context.db, link)
    if (!isOurs) continue
    await receiveReceipt(context, { carrierAccount: carrier, carrierKind, messageId, ...record })
    return true
  }
  return false
}
