import type { SentRecord } from '../records.js'
import { bytesField, numberField, textField, type Pdu } from './pdu.js'
import type { SmppSettings } from './settings.js'

type State = Pick<SentRecord, 'status' | 'error'>

const FINAL_STATES: Readonly<Record<string, State>> = {
  DELIVRD: { status: 'delivered' },
  // The SMSC took it on somebody's behalf, which says no more than `sent`.
  ACCEPTD: { status: 'sent' },
  EXPIRED: { status: 'failed', error: 'expired at the carrier: the phone was not reached in time' },
  DELETED: { status: 'failed', error: 'deleted at the carrier' },
  UNDELIV: { status: 'failed', error: 'undeliverable' },
  REJECTD: { status: 'failed', error: 'rejected by the network' },
  SKIPPED: { status: 'failed', error: 'skipped by the carrier' },
}

/** `message_state` (SMPP 3.4 §5.2.28) in the words of the text form. */
const STATES = [
  'SCHEDLD',
  'ENROUTE',
  'DELIVRD',
  'EXPIRED',
  'DELETED',
  'UNDELIV',
  'ACCEPTD',
  'UNKNOWN',
  'REJECTD',
  'SKIPPED',
]

const RECEIPT = 0x04
const INTERMEDIATE = 0x20
const MESSAGE_TYPE = 0x3c

/** By esm_class; some SMSCs leave that at 0 and only say which message it is about. */
export function isReceipt(pdu: Pdu): boolean {
  const type = (numberField(pdu, 'esm_class') ?? 0) & MESSAGE_TYPE
  return type === RECEIPT || type === INTERMEDIATE || textField(pdu, 'receipted_message_id') !== ''
}

/**
 * A delivery receipt (SMPP 3.4 appendix B and §5.3.2). Its id is as `submit` gave it; its code is the SMSC's state and
 * error, such as `UNDELIV/001`.
 *
 * @returns undefined when there is nothing to learn from it: an intermediate state, or none that we know
 */
export function readReceipt(pdu: Pdu, { receiptIds }: SmppSettings): SentRecord | undefined {
  if (((numberField(pdu, 'esm_class') ?? 0) & MESSAGE_TYPE) === INTERMEDIATE) return undefined
  const payload = bytesField(pdu, 'message_payload')
  const text = (payload ?? bytesField(pdu, 'short_message') ?? Buffer.alloc(0)).toString('latin1')
  const stateNumber = numberField(pdu, 'message_state')
  const stat = (readWord(text, 'stat') ?? STATES[stateNumber ?? -1] ?? '').toUpperCase()
  // The id is taken as the text writes it, else as the response did.
  const inText = readWord(text, 'id')
  const inTlv = textField(pdu, 'receipted_message_id')
  const carrierMessageId =
    inText === undefined ? idInReceipts(inTlv, receiptIds) : idOfReceipt(inText, receiptIds)
  // SMPP cuts states to seven letters; some SMSCs write them in full.
  const state = FINAL_STATES[stat] ?? FINAL_STATES[LONG_WORDS[stat] ?? '']
  if (state === undefined || carrierMessageId === '') return undefined
  const err = readWord(text, 'err')
  return {
    carrierMessageId,
    ...state,
    ...(state.status === 'failed' ? { carrierCode: err === undefined ? stat : `${stat}/${err}` } : {}),
  }
}

const LONG_WORDS: Readonly<Record<string, string>> = {
  DELIVERED: 'DELIVRD',
  ACCEPTED: 'ACCEPTD',
  UNDELIVERABLE: 'UNDELIV',
  UNDELIVERED: 'UNDELIV',
  REJECTED: 'REJECTD',
}

/** Fields may come in any order and case. `text:` comes last and may say anything: what is behind it is not read. */
function readWord(receipt: string, field: string): string | undefined {
  const [fields = ''] = receipt.split(/\btext:/i)
  return new RegExp(`(?:^|\\s)${field}:\\s*([^\\s]+)`, 'i').exec(fields)?.[1]
}

type Manner = SmppSettings['receiptIds']

/** The id of a `submit_sm_resp` as the account's receipts will write it: that is how we keep it. */
export function idInReceipts(id: string, manner: Manner): string {
  if (manner === 'hex-to-decimal' && /^[0-9a-f]+$/i.test(id)) return BigInt(`0x${id}`).toString()
  if (manner === 'decimal-to-hex' && /^\d+$/.test(id)) return BigInt(id).toString(16)
  return id
}

/** The id in a receipt's text as we keep it: SMSCs fill with zeros, and write hex in either case. */
function idOfReceipt(id: string, manner: Manner): string {
  if (manner === 'hex-to-decimal' && /^\d+$/.test(id)) return BigInt(id).toString()
  if (manner === 'decimal-to-hex' && /^[0-9a-f]+$/i.test(id)) return BigInt(`0x${id}`).toString(16)
  return id
}
