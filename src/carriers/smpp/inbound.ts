import type { ArrivedText, CarrierAddress } from '../listening.js'
import { decodeText } from './encoding.js'
import { bytesField, numberField, textField, type Pdu } from './pdu.js'
import type { SmppSettings } from './settings.js'

const UDH_INDICATOR = 0x40
const INTERNATIONAL = 1
/** Unknown, national and subscriber number. */
const LOCAL = new Set([undefined, 0, 2, 4])
/** A number with fewer digits is a short code, whatever its type says. */
const LOCAL_DIGITS = 7
const UNKNOWN = 0
/** Some SMSCs write the prefix 00 for calls abroad. No country code begins with 0. */
const ABROAD = /^00(?=[1-9]\d{6})/

/** A text, or a part of one, that somebody has sent to a line. */
export function readText(pdu: Pdu, { defaultAlphabet }: SmppSettings): ArrivedText {
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

function readAddress(address: string, ton: number | undefined): CarrierAddress {
  const digits = address.replace(/^\+/, '')
  if (!/^\d+$/.test(digits)) return { address, kind: 'other' }
  const isAbroad = (ton ?? UNKNOWN) === UNKNOWN && ABROAD.test(digits)
  if (ton === INTERNATIONAL || address.startsWith('+') || isAbroad) {
    return { address: `+${digits.replace(/^00/, '')}`, kind: 'international' }
  }
  return { address, kind: LOCAL.has(ton) && digits.length >= LOCAL_DIGITS ? 'local' : 'other' }
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
function partOf(reference: number, total: number, number: number): ArrivedText['part'] {
  return total > 1 && number >= 1 && number <= total ? { reference, total, number } : undefined
}
