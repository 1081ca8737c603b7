import { createServer, type AddressInfo, type Socket } from 'node:net'
import { TLSSocket } from 'node:tls'

/** What a server does with a socket once a request has come; `raw` is the TCP connection below TLS. */
type Behave = (socket: Socket, raw: Socket) => void

export interface HostileServer {
  /** Without a slash at its end. */
  origin: string
  /** What it does from the next request on. */
  behave(behaviour: Behave): void
  close(): Promise<void>
}

/** More than the sockets' own buffers hold, so that a slow reader is still at it when the server closes. */
const BODY = Buffer.alloc(1_500_000, 'm')

const full = (head: string, body: Buffer = BODY) => Buffer.concat([Buffer.from(`${head}\r\n\r\n`), body])
const LENGTH = `Content-Length: ${BODY.length}`
const chunk = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')])

const end = (bytes: Buffer | string) => (socket: Socket) => {
  socket.end(bytes)
}
const reset = (bytes: Buffer | string) => (socket: Socket, raw: Socket) => {
  socket.write(bytes, () => raw.resetAndDestroy())
}
/** Below TLS: the peer hears nothing of the end but that the connection is gone. */
const cut = (bytes: Buffer | string) => (socket: Socket, raw: Socket) => {
  socket.write(bytes, () => raw.end())
}
const stay = (bytes: Buffer | string) => (socket: Socket) => {
  socket.write(bytes)
}

/** Byte by byte, then closed. */
function drip(text: string): Behave {
  return (socket) => {
    let at = 0
    const timer = setInterval(() => {
      if (at < text.length) socket.write(text[at++] ?? '')
      else socket.end()
    }, 1)
    socket.once('close', () => {
      clearInterval(timer)
    })
  }
}

/** Servers that close, lie, drip and break the protocol, by what they do. Whoever calls one must survive it. */
export const HOSTILITIES: readonly [what: string, behave: Behave][] = [
  ['closes with no answer', end('')],
  ['resets with no answer', reset('H')],
  ['closes in the status line', end('HTTP/1.1 20')],
  ['closes in the headers', end('HTTP/1.1 200 OK\r\nX-A: b')],
  ['resets in the headers', reset('HTTP/1.1 200 OK\r\nX-A: b')],
  ['drips headers and closes', drip('HTTP/1.1 200 OK\r\nX-A: b\r\n')],
  ['answers as HTTP/1.0 and closes', end(full('HTTP/1.0 200 OK'))],
  ['answers as HTTP/1.0 and resets', reset(full('HTTP/1.0 200 OK'))],
  [
    'answers as HTTP/1.0 with keep-alive',
    end(full(`HTTP/1.0 200 OK\r\nConnection: keep-alive\r\n${LENGTH}`)),
  ],
  ['closes at the end of the body', end(full('HTTP/1.1 200 OK\r\nConnection: close'))],
  ['resets at the end of the body', reset(full('HTTP/1.1 200 OK\r\nConnection: close'))],
  ['cuts the line at the end of the body', cut(full('HTTP/1.1 200 OK\r\nConnection: close'))],
  ['closes behind a body of known length', end(full(`HTTP/1.1 200 OK\r\nConnection: close\r\n${LENGTH}`))],
  ['resets behind a body of known length', reset(full(`HTTP/1.1 200 OK\r\nConnection: close\r\n${LENGTH}`))],
  ['promises keep-alive and closes', end(full(`HTTP/1.1 200 OK\r\nConnection: keep-alive\r\n${LENGTH}`))],
  ['promises keep-alive and resets', reset(full(`HTTP/1.1 200 OK\r\n${LENGTH}`))],
  ['closes in the body', end(full(`HTTP/1.1 200 OK\r\n${LENGTH}`, BODY.subarray(1)))],
  [
    'closes in the last body',
    end(full(`HTTP/1.1 200 OK\r\nConnection: close\r\n${LENGTH}`, BODY.subarray(1))),
  ],
  ['resets in the body', reset(full(`HTTP/1.1 200 OK\r\n${LENGTH}`, BODY.subarray(1)))],
  ['cuts the line in the body', cut(full(`HTTP/1.1 200 OK\r\n${LENGTH}`, BODY.subarray(1)))],
  ['sends more than it said', end(full('HTTP/1.1 200 OK\r\nContent-Length: 9'))],
  ['sends more than it said, and stays', stay(full('HTTP/1.1 200 OK\r\nContent-Length: 9'))],
  ['says two lengths', end(full(`HTTP/1.1 200 OK\r\n${LENGTH}\r\nContent-Length: 9`))],
  ['says a negative length', end(full('HTTP/1.1 200 OK\r\nContent-Length: -9'))],
  ['says a length and chunks', end(full(`HTTP/1.1 200 OK\r\n${LENGTH}\r\nTransfer-Encoding: chunked`))],
  ['closes between chunks', end(full('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked', chunk(BODY)))],
  [
    'closes in a chunk',
    end(full('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked', chunk(BODY).subarray(0, 900_000))),
  ],
  [
    'resets in a chunk',
    reset(full('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked', chunk(BODY).subarray(0, 900_000))),
  ],
  [
    'says an impossible chunk',
    end('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\nm'),
  ],
  [
    'sends trailers that break off',
    end(
      full(
        'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked',
        Buffer.concat([chunk(BODY), Buffer.from('0\r\nX-T')]),
      ),
    ),
  ],
  [
    'asks to continue',
    end(full(`HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\nConnection: close\r\n${LENGTH}`)),
  ],
  ['gives hints without end, then closes', end('HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n'.repeat(500))],
  [
    'changes the protocol',
    end(full('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket')),
  ],
  [
    'changes the protocol, and stays',
    stay('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n'),
  ],
  ['sends a body with 204', end(full('HTTP/1.1 204 No Content'))],
  ['sends a body with 204, and stays', stay(full('HTTP/1.1 204 No Content'))],
  ['sends a body with 304', end(full(`HTTP/1.1 304 Not Modified\r\n${LENGTH}`))],
  [
    'sends garbage behind the body',
    stay(full('HTTP/1.1 200 OK\r\nContent-Length: 4', Buffer.from('bodygarbage\0\r\n\r\n'))),
  ],
  [
    'sends another answer behind the first',
    stay(
      full(
        'HTTP/1.1 200 OK\r\nContent-Length: 4',
        Buffer.from('bodyHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nmore'),
      ),
    ),
  ],
  [
    'times out an idle connection aloud',
    end(
      full(
        'HTTP/1.1 200 OK\r\nContent-Length: 4',
        Buffer.from('bodyHTTP/1.1 408 Request Timeout\r\nConnection: close\r\n\r\n'),
      ),
    ),
  ],
  ['speaks HTTP/2', end(Buffer.from('000012040000000000000300000080000400010000000500ffffff', 'hex'))],
  ['speaks something else', end('220 mail.test ESMTP\r\n')],
  ['says a status of no kind', end(full('HTTP/1.1 000 Zero\r\nConnection: close'))],
  ['says a status beyond all', end(full('HTTP/1.1 999 All\r\nConnection: close'))],
  ['writes NUL into a header', end(full('HTTP/1.1 200 OK\r\nX-A: \0b\r\nConnection: close'))],
  [
    'writes a header too large',
    end(full(`HTTP/1.1 200 OK\r\nX-A: ${'b'.repeat(20_000)}\r\nConnection: close`)),
  ],
  ['writes headers without end', end(`HTTP/1.1 200 OK\r\n${'X-A: b\r\n'.repeat(9000)}`)],
  ['folds its headers', end(full('HTTP/1.1 200 OK\r\nX-A: b\r\n c\r\nConnection: close'))],
  ['ends its lines with LF', end('HTTP/1.1 200 OK\nConnection: close\n\nbody')],
]

/** On loopback; with TLS where it has a certificate. */
export async function startHostileServer(tls?: { key: string; cert: string }): Promise<HostileServer> {
  let behave: Behave = end('')
  const sockets = new Set<Socket>()
  const server = createServer((raw) => {
    sockets.add(raw)
    raw.on('error', () => undefined).once('close', () => sockets.delete(raw))
    const socket = tls === undefined ? raw : new TLSSocket(raw, { isServer: true, ...tls })
    if (socket !== raw) socket.on('error', () => undefined)
    // A request is one piece here, or two with its body.
    let isAsked = false
    socket.on('data', () => {
      if (isAsked) return
      isAsked = true
      setImmediate(() => {
        isAsked = false
        if (!socket.destroyed) behave(socket, raw)
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    origin: `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`,
    behave: (behaviour) => {
      behave = behaviour
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        for (const socket of sockets) socket.destroy()
      }),
  }
}
