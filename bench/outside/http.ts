import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

export interface HttpRequest {
  path: string
  headers: Record<string, string>
  body: string
}

/**
 * One keep-alive connection that POSTs, one request at a time. It knows as little of HTTP as Koa's answers need, because the
 * load generator has only the second processor. With a real client the generator would be the limit, and not Koa.
 */
export class HttpConnection {
  private socket: Socket | undefined
  private answered: ((status: number) => void) | undefined
  private received: Buffer = Buffer.alloc(0)

  constructor(private readonly url: string) {}

  /** @returns the status, or 0 when the connection ended without an answer */
  async post({ path, headers, body }: HttpRequest): Promise<number> {
    this.socket ??= await this.open()
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`)
    const length = Buffer.byteLength(body)
    const head = `POST ${path} HTTP/1.1\r\nhost: localhost\r\n${fields.join('')}content-length: ${length}\r\n\r\n`
    return new Promise((resolve) => {
      this.answered = resolve
      this.socket?.write(head + body)
    })
  }

  close(): void {
    this.socket?.destroy()
  }

  private async open(): Promise<Socket> {
    const { hostname, port } = new URL(this.url)
    const socket = connect(Number(port), hostname).setNoDelay()
    socket.on('error', () => undefined)
    socket.on('data', (chunk: Buffer) => {
      this.read(chunk)
    })
    socket.on('close', () => {
      this.socket = undefined
      this.received = Buffer.alloc(0)
      this.answer(0)
    })
    await once(socket, 'connect')
    return socket
  }

  private read(chunk: Buffer): void {
    this.received = this.received.length === 0 ? chunk : Buffer.concat([this.received, chunk])
    const headEnd = this.received.indexOf('\r\n\r\n')
    if (headEnd < 0) return
    const head = this.received.toString('latin1', 0, headEnd)
    const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
    if (length === undefined) throw new Error(`an answer without Content-Length:\n${head}`)
    if (this.received.length < headEnd + 4 + Number(length)) return
    this.received = Buffer.alloc(0)
    this.answer(Number(head.slice(9, 12)))
  }

  private answer(status: number): void {
    const { answered } = this
    this.answered = undefined
    answered?.(status)
  }
}
