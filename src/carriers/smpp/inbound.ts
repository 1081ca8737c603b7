import { decodeText } from './encoding.js'
import { bytesField, numberField, textField, type Pdu } from './pdu.js'
import type { SmppSettings } from './settings.js'

/** A text, or a part of one, that somebody has sent to a line. */
export interface SmppText {
  from: SmppAddress
  to: SmppAddress
  /** undefined: it is binary. In a part, a character may be cut in two. */
  text: string | undefined
  /** undefined: it is the whole text. */
  part: { reference: number; total: number; number: number } | undefined
}

export interface SmppAddress {
  /** Digits, with a + if it is international; a name for senders that have no number. */
  address: string
  isInternational: boolean
}

const UDH_INDICATOR = 0x40
const INTERNATIONAL = 1

export function readText(pdu: Pdu, { defaultAlphabet }: SmppSettings): SmppText {
  const payload = bytesField(pdu, 'message_payload')
  const message = payload ?? bytesField(pdu, 'short_message') ?? Buffer.alloc(0)
  const hasHeader = ((numberField(pdu, 'esm_class') ?? 0) & UDH_INDICATOR) !== 0 && message.length > 0
  const headerEnd = hasHeader ? (message[0] ?? 0) + 1 : 0
  return {
    from: readAddress(textField(pdu, 'source_addr'), numberField(pdu, 'source_addr_ton')),
    to: readAddress(textField(pdu, 'destination_addr'), numberField(pdu, 'dest_addr_ton')),
    text: decodeText(message.subarray(headerEnd), numberField(pdu, 'data_coding') ?? 0, defaultAlphabet),
    part: readPartOfHeader(message.subarray(1, headerEnd)) ?? readPartOfTlvs(pdu),
  }
}

function readAddress(address: string, ton: number | undefined): SmppAddress {
  const digits = address.replace(/^(\+|00(?=\d{8}))/, '')
  if (!/^\d+$/.test(digits)) return { address, isInternational: false }
  const isInternational = ton === INTERNATIONAL || address.startsWith('+')
  return { address: isInternational ? `+${digits}` : address, isInternational }
}

/** User data header (3GPP TS 23.040 §9.2.3.24): elements of type, length and content. */
function readPartOfHeader(header: Buffer) {
  for (let at = 0; at + 2 <= header.length;) {
    const [type, length = 0] = [header[at], header[at + 1]]
    const content = header.subarray(at + 2, at + 2 + length)
    if (type === 0x00 && content.length === 3)
      return partOf(content.readUInt8(0), content.readUInt8(1), content.readUInt8(2))
    if (type === 0x08 && content.length === 4)
      return partOf(content.readUInt16BE(0), content.readUInt8(2), content.readUInt8(3))
    at += 2 + length
  }
  return undefined
}

function readPartOfTlvs(pdu: Pdu) {
  const [reference, total, number] = ['sar_msg_ref_num', 'sar_total_segments', 'sar_segment_seqnum'].map(
    (name) => numberField(pdu, name),
  )
  if (reference === undefined || total === undefined || number === undefined) return undefined
  return partOf(reference, total, number)
}

/** One of one, or none of those that it tells of, is a text of its own. */
function partOf(reference: number, total: number, number: number): SmppText['part'] {
  return total > 1 && number >= 1 && number <= total ? { reference, total, number } : undefined
}
