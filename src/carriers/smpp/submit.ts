import type { OutboundMessage } from '../carrier.js'
import { encodeText } from './encoding.js'
import type { PduFields } from './pdu.js'
import type { SmppSettings } from './settings.js'

const UDH_INDICATOR = 0x40
/** A receipt on the final outcome, good or bad. */
const RECEIPT = 1

/**
 * The `submit_sm` PDUs of a message, in order. A receipt is asked for on the last only: its id stands for the whole
 * message, and a phone that has the last part has, as a rule, the others.
 *
 * @param reference by which a phone puts the parts together. It must differ from the one of the number's message before
 */
export function submitsOf(
  { fromNumber, toNumber, text }: Pick<OutboundMessage, 'fromNumber' | 'toNumber' | 'text'>,
  settings: SmppSettings,
  reference: number,
): PduFields[] {
  const { dataCoding, parts } = encodeText(text ?? '', settings.defaultAlphabet)
  const common = {
    source_addr_ton: settings.sourceTon,
    source_addr_npi: settings.sourceNpi,
    source_addr: addressOf(fromNumber, settings),
    dest_addr_ton: settings.destTon,
    dest_addr_npi: settings.destNpi,
    destination_addr: addressOf(toNumber, settings),
    data_coding: dataCoding,
  }
  const [first = Buffer.alloc(0)] = parts
  if (parts.length === 1) return [{ ...common, short_message: first, registered_delivery: RECEIPT }]
  if (settings.longMessages === 'payload')
    return [{ ...common, message_payload: Buffer.concat(parts), registered_delivery: RECEIPT }]
  return parts.map((part, index) => ({
    ...common,
    esm_class: UDH_INDICATOR,
    short_message: Buffer.concat([headerOf(reference, parts.length, index + 1), part]),
    registered_delivery: index === parts.length - 1 ? RECEIPT : 0,
  }))
}

function addressOf(number: string, { plusSign }: SmppSettings): string {
  return plusSign ? number : number.replace(/^\+/, '')
}

/** 3GPP TS 23.040 §9.2.3.24.1: concatenated short messages, 8-bit reference. */
function headerOf(reference: number, total: number, number: number): Buffer {
  return Buffer.from([5, 0, 3, reference & 0xff, total, number])
}
