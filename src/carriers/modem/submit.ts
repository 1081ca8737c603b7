import { encodeGsm7 } from '../../kit/text/gsm7.js'
import { cutIntoSegments } from '../../kit/text/segments.js'
import type { OutboundMessage } from '../carrier.js'
import { UCS_2 } from '../sms/data-coding.js'
import { headerOf, partElement } from '../sms/user-data-header.js'
import { fillBitsAfter, pack } from './septets.js'
import type { ModemSettings } from './settings.js'

/** A text, or a part of one, as `AT+CMGS` takes it. */
export interface SubmitPdu {
  /** In hexadecimal, with the number of the SMS centre before it. */
  hex: string
  /** The octets without that number. */
  length: number
}

const SMS_SUBMIT = 0x01
const RELATIVE_VALIDITY = 0x10
const WANTS_REPORT = 0x20
const HAS_HEADER = 0x40

/**
 * The SMS-SUBMITs of a message (3GPP TS 23.040 §9.2.2.2), in order. A report is requested for the last one only: its
 * reference stands for the whole message.
 *
 * @param reference tells this message's parts from those of the one before
 */
export function submitsOf(
  { toNumber, text, expiresInMs }: Pick<OutboundMessage, 'toNumber' | 'text' | 'expiresInMs'>,
  { smsc, statusReports }: Pick<ModemSettings, 'smsc' | 'statusReports'>,
  reference: number,
): SubmitPdu[] {
  const { encoding, parts, shift } = cutIntoSegments(text ?? '')
  const center = smsc === '' ? Buffer.of(0) : withLength(addressOf(smsc))
  return parts.map((part, index) => {
    const isLast = index === parts.length - 1
    const header = headerOf(parts.length === 1 ? [] : partElement(reference, parts.length, index + 1))
    const first =
      SMS_SUBMIT |
      (expiresInMs === undefined ? 0 : RELATIVE_VALIDITY) |
      (statusReports && isLast ? WANTS_REPORT : 0) |
      (header.length === 0 ? 0 : HAS_HEADER)
    const userData =
      encoding === 'UCS-2' ? octetsOf(header, part) : septetsOf(header, encodeGsm7(part, shift))
    const tpdu = Buffer.concat([
      Buffer.of(first, 0, toNumber.replace(/^\+/, '').length),
      addressOf(toNumber),
      Buffer.of(0, encoding === 'UCS-2' ? UCS_2 : 0),
      Buffer.from(expiresInMs === undefined ? [] : [validityOf(expiresInMs)]),
      userData,
    ])
    return { hex: Buffer.concat([center, tpdu]).toString('hex').toUpperCase(), length: tpdu.length }
  })
}

function septetsOf(header: Buffer, septets: Buffer): Buffer {
  const length = Math.ceil((header.length * 8) / 7) + septets.length
  return Buffer.concat([Buffer.of(length), header, pack(septets, fillBitsAfter(header.length))])
}

function octetsOf(header: Buffer, text: string): Buffer {
  return withLength(Buffer.concat([header, Buffer.from(text, 'utf16le').swap16()]))
}

function withLength(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.of(bytes.length), bytes])
}

const [INTERNATIONAL, UNKNOWN] = [0x91, 0x81]

/** The type of a number and its digits, two in an octet, the first one low (§9.1.2.3). */
function addressOf(number: string): Buffer {
  const digits = number.replace(/^\+/, '')
  const pairs = (digits.length % 2 === 0 ? digits : `${digits}F`).replace(/(.)(.)/g, '$2$1')
  return Buffer.concat([
    Buffer.of(number.startsWith('+') ? INTERNATIONAL : UNKNOWN),
    Buffer.from(pairs, 'hex'),
  ])
}

const MINUTE_MS = 60_000

/** The shortest validity that is long enough (§9.2.3.12.1): steps of five and thirty minutes, then days and weeks. */
function validityOf(ms: number): number {
  const minutes = Math.ceil(ms / MINUTE_MS)
  const days = Math.ceil(minutes / 1440)
  if (minutes <= 720) return Math.max(0, Math.ceil(minutes / 5) - 1)
  if (minutes <= 1440) return 143 + Math.ceil((minutes - 720) / 30)
  return days <= 30 ? 166 + days : Math.min(255, 192 + Math.ceil(days / 7))
}
