/** Types for the parts of the package that we use; it has none of its own. */
declare module 'smpp' {
  import type { EventEmitter } from 'node:events'
  import type { Server, Socket } from 'node:net'

  /** The fields by their names in the SMPP 3.4 specification. */
  export type PduFields = Record<string, string | number | Buffer | undefined>

  export interface Pdu {
    /** `submit_sm`, `submit_sm_resp`, …; `unknown` for an id that the specification does not have. */
    command: string
    command_id: number
    command_status: number
    sequence_number: number
    isResponse(): boolean
    response(fields?: PduFields): Pdu
    toBuffer(): Buffer
    [field: string]: unknown
  }

  /** One connection of its server. */
  export interface Session extends EventEmitter {
    socket: Socket
    /** @returns false if the socket is not writable; the callback is never called if it dies later */
    send(pdu: Pdu, onResponse?: (response: Pdu) => void): boolean
    destroy(): void
  }

  interface Type {
    /** @param length the length of a TLV */
    read(bytes: Buffer, at: number, length: number): unknown
  }

  interface Encoding {
    encode: (text: string) => Buffer
    decode: (bytes: Buffer) => string
  }

  const smpp: {
    PDU: {
      new (commandOrBytes: string | Buffer, fields?: PduFields): Pdu
      /** It does not read any that are longer. */
      maxLength: number
    }
    createServer(
      options: { key?: string; cert?: string },
      onSession: (session: Session) => void,
    ): Server & { sessions: Session[] }
    connect(options: { host: string; port: number; tls?: boolean; ca?: string; servername?: string }): Session
    /** `ASCII` is GSM 03.38, with one octet for each septet. */
    encodings: Record<'ASCII' | 'LATIN1' | 'UCS2', Encoding>
    filters: Record<'message' | 'time', { decode(value: unknown): unknown }>
    /** The fields of a command, in their order. */
    commands: Record<string, { params?: Record<string, { type: Type }> }>
    types: Record<'int8' | 'cstring' | 'buffer', Type>
    tlvs: Record<string, { type: Type }>
    /** The numbers of `ESME_…`. */
    errors: Record<string, number>
  }
  export default smpp
}
