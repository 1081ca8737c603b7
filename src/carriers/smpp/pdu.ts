import type { Pdu, PduFields } from 'smpp'
import { MAX_PDU_BYTES, smpp } from './package.js'

export type { Pdu, PduFields }

const HEADER_BYTES = 16
const TLV_HEAD_BYTES = 4
/**
 * A longer one is skipped, because the SMSC would send it again in each session, and end each. If the first octet of
 * the length is not 0, it is text, or something else that is not SMPP.
 */
const MAX_SKIPPED_BYTES = 0x00ffffff

export interface ReceivedPdu {
  /** Undefined if it is too long, or its body cannot be read. */
  pdu: Pdu | undefined
  header: { commandId: number; sequence: number; length: number }
  /** Everything after the header; of one that is too long, only the beginning. */
  body: Buffer
}

/** `further_tlvs` are whole TLVs that the package does not know; they go after everything that it writes. */
export function encodePdu(command: string, { further_tlvs: further, ...fields }: PduFields): Buffer {
  const encoded = new smpp.PDU(command, fields).toBuffer()
  if (!Buffer.isBuffer(further)) return encoded
  const bytes = Buffer.concat([encoded, further])
  bytes.writeUInt32BE(bytes.length, 0)
  return bytes
}

export function encodeTlv(tag: number, value: Buffer): Buffer {
  const bytes = Buffer.alloc(TLV_HEAD_BYTES + value.length)
  bytes.writeUInt16BE(tag, 0)
  bytes.writeUInt16BE(value.length, 2)
  value.copy(bytes, TLV_HEAD_BYTES)
  return bytes
}

/** Their body is a `message_id`, which is not used here, and NULL (SMPP 3.4 §4.6.2, §4.7.2). */
const WITH_MESSAGE_ID = new Set(['deliver_sm', 'data_sm'])

/**
 * The response to a request. We do not use the package's, which omits the body if the request is refused. SMSCs built
 * on jSMPP cannot read such an answer, count it as missing, and send the same message again and again.
 */
export function encodeResponse(request: { command: string; sequence: number }, status: number): Buffer {
  const { command, sequence } = request
  const header = new smpp.PDU(`${command}_resp`, { sequence_number: sequence, command_status: status })
  if (!WITH_MESSAGE_ID.has(command)) return header.toBuffer()
  const bytes = Buffer.alloc(HEADER_BYTES + 1)
  for (const [index, value] of [bytes.length, header.command_id, status, sequence].entries())
    bytes.writeUInt32BE(value, 4 * index)
  return bytes
}

/**
 * Cuts the bytes of a socket into PDUs.
 *
 * @throws Error if they cannot be SMPP, or we fail to read them: nothing that comes after can be trusted
 */
export function createPduReader(): (chunk: Buffer) => ReceivedPdu[] {
  let rest: Buffer = Buffer.alloc(0)
  let toSkip = 0
  return (chunk) => {
    const skipped = Math.min(toSkip, chunk.length)
    toSkip -= skipped
    const unread = chunk.subarray(skipped)
    rest = rest.length === 0 ? unread : Buffer.concat([rest, unread])
    const received: ReceivedPdu[] = []
    while (rest.length >= 4) {
      const length = rest.readUInt32BE(0)
      if (length < HEADER_BYTES || length > MAX_SKIPPED_BYTES) throw new Error(`a PDU of ${length} bytes`)
      const bytes = rest.subarray(0, Math.min(length, MAX_PDU_BYTES))
      if (bytes.length < Math.min(length, MAX_PDU_BYTES)) break
      received.push(readPdu(bytes, length))
      toSkip = Math.max(0, length - rest.length)
      rest = rest.subarray(length)
    }
    return received
  }
}

function readPdu(bytes: Buffer, length: number): ReceivedPdu {
  const header = { commandId: bytes.readUInt32BE(4), sequence: bytes.readUInt32BE(12), length }
  const body = bytes.subarray(HEADER_BYTES)
  if (bytes.length < length) return { pdu: undefined, header, body }
  try {
    const pdu = new smpp.PDU(bytes)
    return { pdu: isWhole(pdu, body) ? pdu : undefined, header, body }
  } catch (error) {
    if (!isPastTheEnd(error)) throw error
    return { pdu: undefined, header, body }
  }
}

/**
 * True if a length in the PDU goes beyond its end. Anything else that the package throws is a fault of ours, and the
 * SMSC keeps the message.
 */
function isPastTheEnd(error: unknown): boolean {
  return error instanceof RangeError && PAST_THE_END.has(String((error as NodeJS.ErrnoException).code))
}

const PAST_THE_END: ReadonlySet<string> = new Set(['ERR_OUT_OF_RANGE', 'ERR_BUFFER_OUT_OF_BOUNDS'])

/**
 * True if no part of the body is missing. The package does not check: for a message that was cut short it would
 * return the beginning as if that were all.
 */
function isWhole(pdu: Pdu, body: Buffer): boolean {
  if (!WITH_MESSAGE_ID.has(pdu.command)) return true
  let at = 0
  for (const { type } of Object.values(smpp.commands[pdu.command]?.params ?? {})) {
    if (type === smpp.types.cstring) at = endOfText(body, at)
    else at += 1 + (type === smpp.types.buffer ? (body[at] ?? 0) : 0)
    if (at > body.length) return false
  }
  // A remainder shorter than the head of a TLV does no harm.
  while (at + TLV_HEAD_BYTES <= body.length) at += TLV_HEAD_BYTES + body.readUInt16BE(at + 2)
  return at <= body.length
}

function endOfText(body: Buffer, at: number): number {
  const end = body.indexOf(0, at)
  return end < 0 ? Infinity : end + 1
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
