import type { CarriedReceipt } from '../listening.js'
import type { SentRecord } from '../records.js'
import { UCS_2 } from '../sms/data-coding.js'
import { decodeText } from './encoding.js'
import { cutUserData, UDH_INDICATOR } from './inbound.js'
import { numberField, textField, type Pdu } from './pdu.js'
import { receiptErrorOf, type ReceiptError } from './receipts/errors.js'
import { idInReceipts, idOfReceipt, otherFormsOf } from './receipts/ids.js'
import { FINAL_STATES, stateOfNumber, stateOfWord, type ReceiptState } from './receipts/states.js'
import { readWords, type ReceiptWords } from './receipts/words.js'
import type { SmppSettings } from './settings.js'

const RECEIPT = 0x04
const INTERMEDIATE = 0x20
const MESSAGE_TYPE = 0x3c

/** True if it is a receipt by its esm_class; some SMSCs leave that at 0 and only say which message it is about. */
export function isReceipt(pdu: Pdu): boolean {
  const type = (numberField(pdu, 'esm_class') ?? 0) & MESSAGE_TYPE
  return type === RECEIPT || type === INTERMEDIATE || textField(pdu, 'receipted_message_id') !== ''
}

/**
 * Reads a delivery receipt (SMPP 3.4 appendix B and §5.3.2). Its id has the form that `submit` returned; its code is
 * the SMSC's state and error, such as `UNDELIV/027`. If TLVs and text differ in id or state, the TLVs count, because
 * SMSCs make them for programs.
 *
 * @returns undefined if it says nothing new (an intermediate state, or an unknown one), or cannot be read
 */
export function readReceipt(pdu: Pdu, settings: SmppSettings): CarriedReceipt | undefined {
  if (isIntermediate(pdu)) return undefined
  const words = readWords(textOf(pdu))
  const stat = statesOf(pdu, words).find((each) => each in FINAL_STATES) ?? ''
  const state = FINAL_STATES[stat]
  return state && receiptOf(pdu, settings, words, state, stat)
}

/** Says in words why a receipt cannot be read; undefined if it can. */
export function unclearReceipt(pdu: Pdu): string | undefined {
  if (isIntermediate(pdu)) return undefined
  const words = readWords(textOf(pdu))
  if (statesOf(pdu, words).length === 0) {
    const { stat = '' } = words
    return /^\w{1,20}$/.test(stat) ? `a receipt with the state "${stat}"` : 'a receipt without a state'
  }
  const hasId = words.id !== undefined || textField(pdu, 'receipted_message_id') !== ''
  return hasId ? undefined : 'a receipt without a message ID'
}

function isIntermediate(pdu: Pdu): boolean {
  return ((numberField(pdu, 'esm_class') ?? 0) & MESSAGE_TYPE) === INTERMEDIATE
}

/** The states that we know, the one of the TLV first. */
function statesOf(pdu: Pdu, { stat }: ReceiptWords): string[] {
  return [stateOfNumber(numberField(pdu, 'message_state')), stateOfWord(stat)].filter(
    (each) => each !== undefined,
  )
}

/**
 * Reads a receipt that is marked as an ordinary text (esm_class 0, no TLVs), and has an id and a state that we know. A
 * person may write the same words. So it is one only if the id is of a message that was sent to the number it comes
 * from; if there is none, the caller passes it on as a text. A state that is not final means that the SMSC has the
 * message.
 */
export function readUnmarkedReceipt(pdu: Pdu, settings: SmppSettings): CarriedReceipt | undefined {
  const isPlain = ((numberField(pdu, 'esm_class') ?? 0) & (MESSAGE_TYPE | UDH_INDICATOR)) === 0
  if (!isPlain || numberField(pdu, 'sar_total_segments') !== undefined) return undefined
  const words = readWords(textOf(pdu))
  const stat = stateOfWord(words.stat)
  if (stat === undefined || words.id === undefined || numbersOf(pdu) === undefined) return undefined
  const receipt = receiptOf(pdu, settings, words, FINAL_STATES[stat] ?? { status: 'sent' }, stat)
  return receipt && { ...receipt, isMarked: false }
}

function receiptOf(
  pdu: Pdu,
  settings: SmppSettings,
  { id: inText, err }: ReceiptWords,
  state: ReceiptState,
  stat: string,
): CarriedReceipt | undefined {
  const { receiptIds } = settings
  const inTlv = textField(pdu, 'receipted_message_id')
  // The text has the id in the account's form, the TLV in the form of the response.
  const ids = [
    ...(inTlv === '' ? [] : [idInReceipts(inTlv, receiptIds), inTlv]),
    ...(inText === undefined ? [] : [idOfReceipt(inText, receiptIds), inText]),
  ]
  const [carrierMessageId] = ids
  if (carrierMessageId === undefined) return undefined
  const others = new Set([...ids, ...ids.flatMap(otherFormsOf)])
  others.delete(carrierMessageId)
  return {
    carrierMessageId,
    otherIds: [...others],
    numbers: numbersOf(pdu),
    isMarked: true,
    ...state,
    ...(state.status === 'failed' ? failureOf(state, stat, receiptErrorOf(pdu, err, settings)) : {}),
  }
}

/** A code without a known reason is part of the words, so that a person can ask the SMSC's operator about it. */
function failureOf(
  { error = '' }: ReceiptState,
  stat: string,
  said: ReceiptError | undefined,
): Pick<SentRecord, 'error' | 'carrierCode' | 'carrierReason'> {
  if (said === undefined) return { carrierCode: stat }
  const carrierCode = `${stat}/${said.code}`
  return said.reason === undefined
    ? { carrierCode, error: `${error} (the SMSC's code ${said.code})` }
    : { carrierCode, carrierReason: said.reason }
}

const NUMBER = /^\+?\d{7,}$/

/**
 * Returns the number that the message was sent to. By the specification the receipt comes from it, but some SMSCs
 * leave both addresses unchanged.
 *
 * @returns undefined if the SMSC gives no number
 */
function numbersOf(pdu: Pdu): string[] | undefined {
  const [source = '', destination = ''] = ['source_addr', 'destination_addr'].map((name) =>
    textField(pdu, name),
  )
  return NUMBER.test(source) ? [source, destination].filter((each) => NUMBER.test(each)) : undefined
}

function textOf(pdu: Pdu): string {
  const { body } = cutUserData(pdu)
  const dataCoding = numberField(pdu, 'data_coding') ?? 0
  // In GSM-7 the letters and digits of a receipt are those of ASCII, and few SMSCs encode its underscores.
  return (dataCoding === UCS_2 ? decodeText(body, UCS_2, 'gsm-7') : undefined) ?? body.toString('latin1')
}
