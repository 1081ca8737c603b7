import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { listen, type WebServer } from '../../../src/web/listening/listen.js'
import { openSocket, type RawSocket } from './raw-socket.js'

const EVERY_MS = 50
const PIECES = 20

describe('a body that comes slowly', () => {
  let web: WebServer
  let port = 0

  /** In each second, one drop in every pause is not enough, and one piece in all of them is. */
  before(async () => {
    web = await listen(
      handle,
      { port: 0, host: '127.0.0.1' },
      { bodyPace: { graceMs: 600, bytesPerSecond: 100 }, acceptDelay: { maxWaitMs: Infinity } },
    )
    port = (web.server.address() as AddressInfo).port
  })
  after(async () => {
    web.server.closeAllConnections()
    await web.close()
  })

  it('is read to its end if it is large, as long as it keeps up its pace', async () => {
    const opened = open('/counted')
    for (let n = 0; n < PIECES; n += 1) {
      opened.socket.write(Buffer.alloc(1000))
      await sleep(EVERY_MS)
    }
    await opened.ended
    opened.socket.destroy()
    expect(opened.received()).to.match(/^HTTP\/1\.1 200 [^]*20000 bytes$/)
  })

  it('is cut off if it drips', async () => {
    const { received } = await drip(open('/counted'))
    expect(received()).to.match(/^HTTP\/1\.1 408 [^]*"Request Timeout: the request could not be read"\}$/)
  })

  it('is cut off without a second answer if it drips although it was answered', async () => {
    const { received } = await drip(open('/early'))
    expect(received().match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 413'])
  })

  it('is cut off without a second answer if it drips although its answer has begun', async () => {
    const { received } = await drip(open('/begun'))
    expect(received()).to.match(/^HTTP\/1\.1 200 [^]*begun/)
    expect(received()).not.to.include('408')
  })

  function open(path: string): RawSocket {
    const ending = path === '/early' ? '' : 'Connection: close\r\n'
    return openSocket(port, `POST ${path} HTTP/1.1\r\n${ending}Content-Length: ${PIECES * 1000}\r\n\r\n`)
  }
})

async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (request.url === '/early') {
    response.writeHead(413).end('too large')
    return
  }
  if (request.url === '/begun') {
    response.write('begun')
    return
  }
  let byteCount = 0
  try {
    for await (const piece of request) byteCount += (piece as Buffer).length
    response.end(`${byteCount} bytes`)
  } catch {
    response.destroy()
  }
}

async function drip(opened: RawSocket): Promise<RawSocket> {
  const { socket, ended } = opened
  while (!socket.readableEnded && !socket.destroyed) {
    socket.write('.')
    await sleep(EVERY_MS)
  }
  await ended
  socket.destroy()
  return opened
}
