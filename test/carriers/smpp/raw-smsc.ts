import { createServer, type AddressInfo, type Socket } from 'node:net'

/** An SMSC that is bytes only: it takes every bind, and says what it is told to. */
export interface RawSmsc {
  port: number
  /** A PDU as it stands in a specification, in hexadecimal; spaces may be anywhere. */
  write(hex: string): void
  /** What came after the bind, PDU by PDU, in hexadecimal. */
  received: string[]
  /** How often somebody has bound. */
  bindCount(): number
  close(): Promise<void>
}

/** bind_receiver, bind_transmitter and bind_transceiver. */
const BINDS: ReadonlySet<number> = new Set([1, 2, 9])
const UNBIND = 6
const BIND_RESPONSE_BODY = Buffer.from('raw\0')

export async function startRawSmsc(): Promise<RawSmsc> {
  const sockets: Socket[] = []
  const received: string[] = []
  let bindCount = 0
  const server = createServer((socket) => {
    sockets.push(socket)
    let rest = Buffer.alloc(0)
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      rest = Buffer.concat([rest, chunk])
      while (rest.length >= 16 && rest.length >= rest.readUInt32BE(0)) {
        const pdu = rest.subarray(0, rest.readUInt32BE(0))
        rest = rest.subarray(pdu.length)
        const commandId = pdu.readUInt32BE(4)
        if (BINDS.has(commandId)) bindCount += 1
        if (BINDS.has(commandId) || commandId === UNBIND) socket.write(bindResponse(pdu))
        else received.push(pdu.toString('hex'))
      }
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    port: (server.address() as AddressInfo).port,
    write: (hex) => sockets.at(-1)?.write(Buffer.from(hex.replaceAll(/\s/g, ''), 'hex')),
    received,
    bindCount: () => bindCount,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function bindResponse(bind: Buffer): Buffer {
  const header = Buffer.alloc(16)
  header.writeUInt32BE(16 + BIND_RESPONSE_BODY.length, 0)
  header.writeUInt32BE((bind.readUInt32BE(4) | 0x80000000) >>> 0, 4)
  bind.copy(header, 12, 12, 16)
  return Buffer.concat([header, BIND_RESPONSE_BODY])
}

/** A whole PDU: its length is counted. */
export function pdu(commandId: string, sequence: number, body: string | Buffer): string {
  const bytes = typeof body === 'string' ? Buffer.from(body.replaceAll(/\s/g, ''), 'hex') : body
  const length = (16 + bytes.length).toString(16).padStart(8, '0')
  return `${length}${commandId}00000000${sequence.toString(16).padStart(8, '0')}${bytes.toString('hex')}`
}
