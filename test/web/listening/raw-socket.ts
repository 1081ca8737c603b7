import { connect, type Socket } from 'node:net'

export interface RawSocket {
  socket: Socket
  /** What the server has sent. */
  received: () => string
  /** Resolves when the server has ended its side. */
  ended: Promise<void>
}

/** A connection that says exactly what it is told, and keeps its own side open for as long as the test likes. */
export function openSocket(port: number, data: string | Buffer = ''): RawSocket {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  let received = ''
  socket.on('data', (chunk) => (received += chunk.toString()))
  // A reset is an end too.
  socket.on('error', () => undefined)
  const ended = new Promise<void>((resolve) => {
    socket.once('end', resolve)
    socket.once('close', () => {
      resolve()
    })
  })
  if (data.length > 0) socket.write(data)
  return { socket, received: () => received, ended }
}

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  /** Parsed; throws when there is none. */
  body: unknown
}

/** The one answer to what was sent, after which the server closes. */
export async function answerTo(port: number, data: string | Buffer): Promise<RawAnswer> {
  const { socket, received, ended } = openSocket(port, data)
  await ended
  socket.destroy()
  return parseAnswer(received())
}

export function parseAnswer(text: string): RawAnswer {
  const end = text.indexOf('\r\n\r\n')
  const [statusLine = '', ...headerLines] = text.slice(0, end).split('\r\n')
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1]),
    headers: Object.fromEntries(
      headerLines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
      }),
    ),
    body: JSON.parse(text.slice(end + 4)) as unknown,
  }
}
