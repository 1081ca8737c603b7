import type { Pdu, PduFields } from 'smpp'
import { smpp } from './package.js'

export type { Pdu, PduFields }

const HEADER_BYTES = 16
/** `command_length` is the other side's word: more than any real message has, and little for our memory. */
const MAX_BYTES = 16_384

export interface ReceivedPdu {
  /** undefined: its body cannot be read. */
  pdu: Pdu | undefined
  header: { commandId: number; sequence: number }
  /** Everything behind the header. */
  body: Buffer
}

export function encodePdu(command: string, fields: PduFields): Buffer {
  return new smpp.PDU(command, fields).toBuffer()
}

/**
 * Cuts what a socket brings into PDUs.
 *
 * @throws Error when it cannot be SMPP: nothing that comes after it can be trusted
 */
export function createPduReader(): (chunk: Buffer) => ReceivedPdu[] {
  let rest: Buffer = Buffer.alloc(0)
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    const received: ReceivedPdu[] = []
    while (rest.length >= 4) {
      const length = rest.readUInt32BE(0)
      if (length < HEADER_BYTES || length > MAX_BYTES) throw new Error(`a PDU of ${length} bytes`)
      if (rest.length < length) break
      received.push(readPdu(rest.subarray(0, length)))
      rest = rest.subarray(length)
    }
    return received
  }
}

function readPdu(bytes: Buffer): ReceivedPdu {
  const header = { commandId: bytes.readUInt32BE(4), sequence: bytes.readUInt32BE(12) }
  const body = bytes.subarray(HEADER_BYTES)
  try {
    return { pdu: new smpp.PDU(bytes), header, body }
  } catch {
    return { pdu: undefined, header, body }
  }
}

export function textField(pdu: Pdu, name: string): string {
  const value = pdu[name]
  return typeof value === 'string' ? value : ''
}

export function numberField(pdu: Pdu, name: string): number | undefined {
  const value = pdu[name]
  return typeof value === 'number' ? value : undefined
}

export function bytesField(pdu: Pdu, name: string): Buffer | undefined {
  const value = pdu[name]
  return Buffer.isBuffer(value) ? value : undefined
}
