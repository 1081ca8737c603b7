import type { ArrivedText, CarrierAddress } from '../listening.js'
import { encodedText, type TextHeader } from './encoding.js'
import { bytesField, numberField, textField, type Pdu } from './pdu.js'
import type { SmppSettings } from './settings.js'

export const UDH_INDICATOR = 0x40
const INTERNATIONAL = 1
/** These are the types for unknown, national and subscriber numbers. */
const LOCAL = new Set([undefined, 0, 2, 4])
/** A number with fewer digits is a short code, whatever its type says. */
const LOCAL_DIGITS = 7
const UNKNOWN = 0
/** Some SMSCs write the prefix 00 for calls abroad. No country code begins with 0. */
const ABROAD = /^00(?=[1-9]\d{6})/

/** Reads a text, or a part of one, that was sent to a line. */
export function readText(pdu: Pdu, { defaultAlphabet }: SmppSettings): ArrivedText {
  const { header, body } = cutUserData(pdu)
  const elements = elementsOf(header)
  const dataCoding = numberField(pdu, 'data_coding') ?? 0
  return {
    from: readAddress(textField(pdu, 'source_addr'), numberField(pdu, 'source_addr_ton')),
    to: readAddress(textField(pdu, 'destination_addr'), numberField(pdu, 'dest_addr_ton')),
    body: encodedText(body, dataCoding, defaultAlphabet, readTextHeader(elements)),
    part: readPartOfHeader(elements) ?? readPartOfTlvs(pdu),
  }
}

/** Returns the text of a PDU, and the header that may come before it. */
export function cutUserData(pdu: Pdu): { header: Buffer; body: Buffer } {
  const data = bytesField(pdu, 'message_payload') ?? bytesField(pdu, 'short_message') ?? Buffer.alloc(0)
  const hasHeader = ((numberField(pdu, 'esm_class') ?? 0) & UDH_INDICATOR) !== 0 && data.length > 0
  const headerEnd = hasHeader ? (data[0] ?? 0) + 1 : 0
  return { header: data.subarray(1, headerEnd), body: data.subarray(headerEnd) }
}

function readAddress(address: string, ton: number | undefined): CarrierAddress {
  const digits = address.replace(/^\+/, '')
  if (!/^\d+$/.test(digits)) return { address, kind: 'other' }
  if (digits.length < LOCAL_DIGITS) return { address: digits, kind: 'other' }
  const isAbroad = (ton ?? UNKNOWN) === UNKNOWN && ABROAD.test(digits)
  if (ton === INTERNATIONAL || address.startsWith('+') || isAbroad) {
    return { address: `+${digits.replace(/^00/, '')}`, kind: 'international' }
  }
  return { address, kind: LOCAL.has(ton) ? 'local' : 'other' }
}

interface Element {
  type: number
  content: Buffer
}

/** Reads a user data header (3GPP TS 23.040 §9.2.3.24): elements of type, length and content. */
function elementsOf(header: Buffer): Element[] {
  const elements: Element[] = []
  for (let at = 0; at + 2 <= header.length;) {
    const [type = 0, length = 0] = [header[at], header[at + 1]]
    elements.push({ type, content: header.subarray(at + 2, at + 2 + length) })
    at += 2 + length
  }
  return elements
}

const PART_8_BIT = 0x00
const PART_16_BIT = 0x08
export const SINGLE_SHIFT = 0x24
export const LOCKING_SHIFT = 0x25

function readPartOfHeader(elements: readonly Element[]) {
  for (const { type, content } of elements) {
    if (type === PART_8_BIT && content.length === 3)
      return partOf(content.readUInt8(0), content.readUInt8(1), content.readUInt8(2))
    if (type === PART_16_BIT && content.length === 4)
      return partOf(content.readUInt16BE(0), content.readUInt8(2), content.readUInt8(3))
  }
  return undefined
}

function readTextHeader(elements: readonly Element[]): TextHeader {
  const languageOf = (type: number) => elements.find((element) => element.type === type)?.content[0]
  const others = elements.filter(({ type }) => type !== PART_8_BIT && type !== PART_16_BIT)
  return {
    single: languageOf(SINGLE_SHIFT),
    locking: languageOf(LOCKING_SHIFT),
    rest: Buffer.concat(
      others.flatMap(({ type, content }) => [Buffer.from([type, content.length]), content]),
    ),
  }
}

function readPartOfTlvs(pdu: Pdu) {
  const [reference, total, number] = ['sar_msg_ref_num', 'sar_total_segments', 'sar_segment_seqnum'].map(
    (name) => numberField(pdu, name),
  )
  if (reference === undefined || total === undefined || number === undefined) return undefined
  return partOf(reference, total, number)
}

/** A part that is the only one, or whose number is out of range, is a separate text. */
function partOf(reference: number, total: number, number: number): ArrivedText['part'] {
  return total > 1 && number >= 1 && number <= total ? { reference, total, number } : undefined
}
