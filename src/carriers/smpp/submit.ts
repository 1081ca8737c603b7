import { CarrierRejected, type OutboundMessage } from '../carrier.js'
import { countSegments, LATIN_1, type AccountTable } from '../../kit/text/segments.js'
import { senderKindOf } from '../../kit/text/sender-kind.js'
import { headerOf, partElement, tableElements } from '../sms/user-data-header.js'
import { encodeText } from './encoding.js'
import { UDH_INDICATOR } from './inbound.js'
import { encodeTlv, type PduFields } from './pdu.js'
import { linesOf, readLanguages, readTlv } from './setting-lines.js'
import type { SmppSettings } from './settings.js'

/** Requests a receipt on the final outcome of every message, of failed ones, or of none (SMPP 3.4 §5.2.17). */
const REGISTERED_DELIVERY = { all: 1, failures: 2, none: 0 } as const

/**
 * The `submit_sm` PDUs of a message, in order. A receipt is requested for the last one only: its id stands for the
 * whole message, and a phone that has the last part usually has the others.
 *
 * @param reference lets a phone put the parts together. It must differ from that of the previous message to the
 *   number
 */
export function submitsOf(
  message: Pick<OutboundMessage, 'fromNumber' | 'toNumber' | 'text' | 'expiresInMs' | 'options'>,
  settings: SmppSettings,
  reference: number,
): PduFields[] {
  const { fromNumber, toNumber, text, expiresInMs } = message
  const codings = { gsm: settings.gsmDataCoding, unicode: settings.unicodeDataCoding }
  const { dataCoding, parts, shift } = encodeText(
    text ?? '',
    settings.defaultAlphabet,
    codings,
    readLanguages(settings.nationalTables),
  )
  const receipt = REGISTERED_DELIVERY[settings.receipts]
  const common = {
    service_type: settings.serviceType,
    priority_flag: settings.priority,
    ...(settings.validity && expiresInMs !== undefined && { validity_period: validityPeriod(expiresInMs) }),
    ...furtherTlvs(settings, message.options),
    ...sourceOf(fromNumber, settings),
    ...destinationOf(toNumber, settings),
    data_coding: dataCoding,
  }
  const [first = Buffer.alloc(0)] = parts
  if (parts.length === 1) {
    const header = headerOf(tableElements(shift))
    return [
      {
        ...common,
        ...(header.length > 0 && { esm_class: UDH_INDICATOR }),
        short_message: Buffer.concat([header, first]),
        registered_delivery: receipt,
      },
    ]
  }
  if (settings.longMessages === 'payload')
    return [{ ...common, message_payload: Buffer.concat(parts), registered_delivery: receipt }]
  return parts.map((part, index) => ({
    ...common,
    esm_class: UDH_INDICATOR,
    short_message: Buffer.concat([
      headerOf([...partElement(reference, parts.length, index + 1), ...tableElements(shift)]),
      part,
    ]),
    registered_delivery: index === parts.length - 1 ? receipt : 0,
  }))
}

/** Counts the `submit_sm` PDUs of a text. */
export function countSubmits(text: string, settings: SmppSettings): number {
  return settings.longMessages === 'payload' ? 1 : countSegments(text, tablesOf(settings))
}

/** What the account can use besides GSM-7 and UCS-2. */
export function tablesOf({
  nationalTables,
  defaultAlphabet,
}: Pick<SmppSettings, 'nationalTables' | 'defaultAlphabet'>): AccountTable[] {
  return defaultAlphabet === LATIN_1 ? [LATIN_1] : readLanguages(nationalTables)
}

/**
 * A relative time (SMPP 3.4 §7.1.1): `000000013000000R` is an hour and a half. Months differ in length, so there are days only.
 */
function validityPeriod(ms: number): string {
  const seconds = Math.min(Math.max(1, Math.ceil(ms / 1000)), 99 * 86_400)
  const parts = [seconds / 86_400, (seconds / 3600) % 24, (seconds / 60) % 60, seconds % 60]
  return `0000${parts.map((part) => String(Math.floor(part)).padStart(2, '0')).join('')}000R`
}

/**
 * Returns the TLVs that have a value, from the account or from the message.
 *
 * @throws CarrierRejected if a message's value does not fit
 */
function furtherTlvs(
  { tlvs }: SmppSettings,
  options: OutboundMessage['options'] = {},
): { further_tlvs?: Buffer } {
  const encoded = linesOf(tlvs)
    .map(readTlv)
    .flatMap(({ name, tag, encode, value }) => {
      const given = Object.hasOwn(options, name) ? options[name] : value
      return given === undefined ? [] : [encodeTlv(tag, encodeOption(name, given, encode))]
    })
  return encoded.length === 0 ? {} : { further_tlvs: Buffer.concat(encoded) }
}

function encodeOption(name: string, value: string, encode: (value: string) => Buffer): Buffer {
  try {
    return encode(value)
  } catch (error) {
    throw new CarrierRejected(`carrierOptions.${name}: ${(error as Error).message}`)
  }
}

function sourceOf(number: string, settings: SmppSettings) {
  const { sourceTon, sourceNpi } = settings
  const { ton, npi } = typeOf(number, settings, { ton: sourceTon, npi: sourceNpi })
  return { source_addr_ton: ton, source_addr_npi: npi, source_addr: addressOf(number, settings) }
}

function destinationOf(number: string, settings: SmppSettings) {
  const { destTon, destNpi } = settings
  const { ton, npi } = typeOf(number, settings, { ton: destTon, npi: destNpi })
  return { dest_addr_ton: ton, dest_addr_npi: npi, destination_addr: addressOf(number, settings) }
}

interface NumberType {
  ton: number
  npi: number
}

/** Returns the type and plan of a number (SMPP 3.4 §5.2.5 and §5.2.6). */
function typeOf(number: string, settings: SmppSettings, ofNumbers: NumberType): NumberType {
  switch (senderKindOf(number)) {
    case 'short_code':
      return { ton: settings.shortCodeTon, npi: settings.shortCodeNpi }
    case 'name':
      return { ton: settings.nameTon, npi: settings.nameNpi }
    case 'number':
    case 'service':
      return ofNumbers
  }
}

function addressOf(number: string, { plusSign }: SmppSettings): string {
  return plusSign ? number : number.replace(/^\+/, '')
}
