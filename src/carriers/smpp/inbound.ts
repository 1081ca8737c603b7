import type { ArrivedText } from '../listening.js'
import { readAddress } from '../sms/address.js'
import { encodedText } from '../sms/data-coding.js'
import { elementsOf, partOf, readPartOfHeader, readTextHeader } from '../sms/user-data-header.js'
import { bytesField, numberField, textField, type Pdu } from './pdu.js'
import type { SmppSettings } from './settings.js'

export const UDH_INDICATOR = 0x40
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
  const fields = [bytesField(pdu, 'message_payload'), bytesField(pdu, 'short_message')]
  // Some SMSCs add a message_payload with nothing in it.
  const data = fields.find((each) => each !== undefined && each.length > 0) ?? Buffer.alloc(0)
  const length = (data[0] ?? 0) + 1
  // Some SMSCs put the parts together, and leave the announcement of a header that is no longer there.
  const hasHeader = ((numberField(pdu, 'esm_class') ?? 0) & UDH_INDICATOR) !== 0 && length <= data.length
  const headerEnd = hasHeader ? length : 0
  return { header: data.subarray(1, headerEnd), body: data.subarray(headerEnd) }
}

function readPartOfTlvs(pdu: Pdu) {
  const [reference, total, number] = ['sar_msg_ref_num', 'sar_total_segments', 'sar_segment_seqnum'].map(
    (name) => numberField(pdu, name),
  )
  if (reference === undefined || total === undefined || number === undefined) return undefined
  return partOf(reference, total, number)
}
