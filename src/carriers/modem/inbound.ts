import { decodeGsm7 } from '../alphabets/gsm7.js'
import type { ArrivedText, CarrierAddress } from '../listening.js'
import { readAddress } from '../sms/address.js'
import { encodedText } from '../sms/data-coding.js'
import { elementsOf, readPartOfHeader, readTextHeader } from '../sms/user-data-header.js'
import { fillBitsAfter, unpack } from './septets.js'

/** Thrown for a PDU that is not part of a text. The message says why. */
export class NotUnderstood extends Error {
  override name = 'NotUnderstood'
}

export type ReceivedPdu =
  | ({ kind: 'text'; sentAt: number } & Pick<ArrivedText, 'from' | 'body' | 'part'>)
  | { kind: 'report'; reference: number; to: string; sentAt: number; status: number }
  /** By its documents, nobody is told about it, or its text is to be discarded. */
  | { kind: 'silent' }

const HAS_HEADER = 0x40
/** A short message of type 0 (3GPP TS 23.040 §9.2.3.9). */
const SILENT = 0x40
/** The light for waiting voice mail, with a text to discard (3GPP TS 23.038 §4, coding group 1100). */
const DISCARDED = 0xc0
/** Elements that name an application as the recipient (§9.2.3.24.3 and .4). */
const PORTS = new Set([0x04, 0x05])

/**
 * Reads a PDU that a modem has received (3GPP TS 23.040 §9.2.2.1 and .3).
 *
 * @param tpdu without the number of the SMS centre
 * @throws NotUnderstood
 */
export function readPdu(tpdu: Buffer): ReceivedPdu {
  const reader = createReader(tpdu)
  const first = reader.octet()
  if ((first & 3) === 2) {
    const reference = reader.octet()
    const to = reader.address().address
    const sentAt = reader.time()
    reader.time()
    return { kind: 'report', reference, to, sentAt, status: reader.octet() }
  }
  if ((first & 3) !== 0) throw new NotUnderstood('a PDU that is neither a text nor a report')
  const from = reader.address()
  const protocol = reader.octet()
  const coding = reader.octet()
  const sentAt = reader.time()
  if (protocol === SILENT || (coding & 0xf0) === DISCARDED) return { kind: 'silent' }
  const length = reader.octet()
  const userData = reader.rest()
  const headerOctets = (first & HAS_HEADER) === 0 ? 0 : (userData[0] ?? 0) + 1
  if (headerOctets > userData.length) throw new NotUnderstood('a text whose header is cut off')
  const elements = elementsOf(userData.subarray(1, headerOctets))
  if (elements.some(({ type }) => PORTS.has(type)))
    throw new NotUnderstood('a message to an application, such as an MMS. A modem cannot receive MMS')
  // Below 16 only the bits of the alphabet count (3GPP TS 23.038 §4). SMPP gives the other values meanings of its own.
  const dataCoding = coding < 0x10 ? coding & 0x0c : coding
  const header = readTextHeader(elements)
  const asOctets = encodedText(userData.subarray(headerOctets, length), dataCoding, 'gsm-7', header)
  if (!asOctets.coding.startsWith('gsm-7')) return { ...partsOf(), body: asOctets }
  const septetCount = length - Math.ceil((headerOctets * 8) / 7)
  const septets = unpack(userData.subarray(headerOctets), septetCount, fillBitsAfter(headerOctets))
  return { ...partsOf(), body: { ...asOctets, bytes: septets } }

  function partsOf() {
    return { kind: 'text' as const, from, sentAt, part: readPartOfHeader(elements) }
  }
}

const ALPHANUMERIC = 5
const DIGITS = '0123456789*#abc'

function createReader(bytes: Buffer) {
  let at = 0
  const take = (count: number): Buffer => {
    if (at + count > bytes.length) throw new NotUnderstood('a PDU that is cut off')
    at += count
    return bytes.subarray(at - count, at)
  }
  const octet = () => take(1).readUInt8(0)
  return {
    octet,
    rest: () => bytes.subarray(at),
    /** Its length is in half octets (§9.1.2.5). */
    address: (): CarrierAddress => {
      const length = octet()
      const ton = (octet() >> 4) & 7
      const value = take(Math.ceil(length / 2))
      if (ton === ALPHANUMERIC) {
        const name = decodeGsm7(unpack(value, Math.floor((length * 4) / 7), 0), 0, 0)
        return { address: name, kind: 'other' }
      }
      return readAddress(
        halvesOf(value)
          .slice(0, length)
          .map((half) => DIGITS[half] ?? '')
          .join(''),
        ton,
      )
    },
    /** In ms; NaN if it is none (§9.2.3.11). The last octet is the time zone, in quarters of an hour. */
    time: (): number => {
      const value = take(7)
      const [year, month, day, hour, minute, second] = [...value.subarray(0, 6)].map(
        (each) => (each & 0x0f) * 10 + (each >> 4),
      )
      const zone = value.readUInt8(6)
      const quarters = (zone & 0x07) * 10 + (zone >> 4)
      const local = Date.UTC(2000 + (year ?? 0), (month ?? 0) - 1, day, hour, minute, second)
      return local - ((zone & 0x08) === 0 ? 1 : -1) * quarters * 900_000
    },
  }
}

function halvesOf(bytes: Buffer): number[] {
  return [...bytes].flatMap((each) => [each & 0x0f, each >> 4])
}
