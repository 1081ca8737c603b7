import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import { listen } from '../../../src/web/listening/listen.js'
import { lineForAllTests, messageBody } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'
import { connectionCount } from '../../helpers/web/raw-request.js'
import { describeWeb } from '../../helpers/web/web.js'
import { openSocket, parseAnswer, type RawSocket } from './raw-socket.js'
import { expectAccepted, messagesOf, newNumber } from '../support.js'

describeWeb('a connection that says little and slowly', ({ context, web }) => {
  const line = lineForAllTests(context)

  before(() => {
    setTimes(300, 600, 300)
  })

  /** In ms; the design's are 10 s, 15 s and 10 s (see listen.test.ts). Connections are looked at every second. */
  function setTimes(headersTimeout: number, requestTimeout: number, keepAliveTimeout: number): void {
    Object.assign(web.server, { headersTimeout, requestTimeout, keepAliveTimeout })
  }

  const head = () => `POST ${line.webhookPath} HTTP/1.1\r\nHost: localhost\r\n`

  const slow: [what: string, open: () => RawSocket, drops?: string][] = [
    ['drips headers', () => openSocket(web.port, head()), 'X-Drip: drop\r\n'],
    ['drips the first line', () => openSocket(web.port), `POST /webhooks/line/${'x'.repeat(1000)}`],
    ['says nothing at all', () => openSocket(web.port)],
    ['does not end its body', () => openSocket(web.port, `${head()}Content-Length: 100\r\n\r\n{`)],
    ['drips its body', () => openSocket(web.port, `${head()}Content-Length: 60000\r\n\r\n{`), ' '],
    ['drips chunks', () => openSocket(web.port, `${head()}Transfer-Encoding: chunked\r\n\r\n`), '1\r\n \r\n'],
  ]
  const waits = new Map<string, Promise<string>>()

  before('all of them at once', () => {
    for (const [what, open, drops] of slow) waits.set(what, watch(open(), drops))
  })

  for (const [what] of slow) {
    it(`is closed when it ${what}`, async () => {
      const answer = parseAnswer((await waits.get(what))!)
      expect(answer.status).to.equal(408)
      expect(answer.headers).to.include({ 'content-type': 'application/json', connection: 'close' })
      expect(answer.body).to.deep.equal({
        success: false,
        error: 'Request Timeout: the request could not be read',
      })
    })
  }

  it('is closed when it sends no further request', async () => {
    setTimes(60_000, 60_000, 300)
    const text = await watch(openSocket(web.port, 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'))
    expect(parseAnswer(text).status).to.equal(200)
  })

  it('is closed when it does not read its answer', async () => {
    const handle = (_: IncomingMessage, response: ServerResponse) =>
      Promise.resolve(void response.end(Buffer.alloc(64 * 1024 * 1024)))
    const large = await listen(handle, { port: 0, host: '127.0.0.1' })
    large.server.timeout = 300
    const connected = once(large.server, 'connection')
    const { socket } = openSocket((large.server.address() as AddressInfo).port, 'GET / HTTP/1.1\r\n\r\n')
    socket.pause()
    try {
      await connected
      await until('the connection is gone', async () => (await connectionCount(large)) === 0)
    } finally {
      socket.destroy()
      await large.close()
    }
  })

  it('makes nobody else wait, even with 200 of them', async () => {
    const sockets = Array.from({ length: 200 }, (_, n) =>
      openSocket(web.port, n % 2 ? head() : `${head()}Content-Length: 100\r\n\r\n{`),
    )
    // What is not slow by itself may be slowed down by the machine.
    setTimes(60_000, 60_000, 60_000)
    for (let sent = 0; sent < 20; sent += 1) {
      expectAccepted(await web.post(line.webhookPath, messageBody({ toNumber: newNumber() })))
    }
    setTimes(300, 600, 300)
    await Promise.all(sockets.map(({ ended }) => ended))
    for (const { socket } of sockets) socket.destroy()
    expect(await messagesOf(context, line.lineId)).to.have.length(20)
  })
})

/** Sends a drop every 50 ms, if there are drops, until the server has had enough. @returns what it said */
async function watch({ socket, ended, received }: RawSocket, drops = ''): Promise<string> {
  for (let at = 0; drops !== '' && !socket.readableEnded && !socket.destroyed; at += 1) {
    socket.write(drops[at % drops.length]!)
    await sleep(50)
  }
  await ended
  socket.destroy()
  return received()
}
