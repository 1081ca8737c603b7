import type { Pdu, PduFields } from 'smpp'
import { smpp } from '../../src/carriers/smpp/package.js'

export interface TakenMessage {
  id: string
  from: string
  to: string
  esmClass: number
  dataCoding: number
  registeredDelivery: number
  /** The bytes of `short_message`, or of `message_payload`. */
  body: Buffer
  isPayload: boolean
}

/** Reads a `submit_sm` as a message with this id. */
export function readSubmit(pdu: Pdu, id: string): TakenMessage {
  const payload = pdu.message_payload as Buffer | undefined
  return {
    id,
    from: String(pdu.source_addr),
    to: String(pdu.destination_addr),
    esmClass: Number(pdu.esm_class),
    dataCoding: Number(pdu.data_coding),
    registeredDelivery: Number(pdu.registered_delivery),
    body: payload ?? (pdu.short_message as Buffer),
    isPayload: payload !== undefined,
  }
}

/**
 * Returns the text as the recipient reads it. The package's own encodings decode it, so that ours are tested against
 * them.
 */
export function textOf({ body, esmClass, dataCoding }: TakenMessage): string {
  const text = (esmClass & 0x40) === 0 ? body : body.subarray((body[0] ?? 0) + 1)
  return smpp.encodings[dataCoding === 8 ? 'UCS2' : 'ASCII'].decode(text)
}

export function receiptOf({ id, from, to }: TakenMessage, stat = 'DELIVRD', err = '000'): PduFields {
  return {
    source_addr_ton: 1,
    source_addr: to,
    dest_addr_ton: 1,
    destination_addr: from,
    esm_class: 4,
    data_coding: 0,
    short_message: Buffer.from(
      `id:${id} sub:001 dlvrd:001 submit date:2611211200 done date:2611211201 stat:${stat} err:${err} text:`,
    ),
  }
}

/** A text from a person to a line. */
export function inboundOf(fromNumber: string, toNumber: string, text: string): PduFields {
  const isUcs2 = smpp.encodings.ASCII.decode(smpp.encodings.ASCII.encode(text)) !== text
  const body = smpp.encodings[isUcs2 ? 'UCS2' : 'ASCII'].encode(text)
  return {
    source_addr_ton: 1,
    source_addr_npi: 1,
    source_addr: fromNumber.replace('+', ''),
    dest_addr_ton: 1,
    dest_addr_npi: 1,
    destination_addr: toNumber.replace('+', ''),
    data_coding: isUcs2 ? 8 : 0,
    ...(body.length > 254 ? { message_payload: body } : { short_message: body }),
  }
}
