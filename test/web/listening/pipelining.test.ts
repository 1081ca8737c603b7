import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { expect } from 'chai'
import { limitPipelining } from '../../../src/web/listening/pipelining.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, messageBody } from '../../helpers/factories.js'
import { openForEachTest } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import { connectionCount } from '../../helpers/web/raw-request.js'
import { serveApp } from '../../helpers/web/web.js'
import { openSocket } from './raw-socket.js'

const GET = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'
/** A busy machine needs half a minute for what takes a second otherwise. */
const PATIENCE_MS = 150_000
const countAnswers = (received: string) => received.split('HTTP/1.1 200').length - 1

describeContext('requests that a client sends without waiting for answers', (context) => {
  const web = openForEachTest(() => serveApp(context))

  it('are all answered in order, and none makes other clients wait for all of them', async () => {
    const { socket, received } = openSocket(web.port, GET.repeat(1000))
    try {
      await until('the first is answered', () => countAnswers(received()) > 0)
      const neighbour = await fetch(`${web.url}/healthz`)
      expect(neighbour.status).to.equal(200)
      expect(countAnswers(received())).to.be.below(500)
      await until('all are answered', () => countAnswers(received()) === 1000, PATIENCE_MS)
    } finally {
      socket.destroy()
    }
  }).timeout(2 * PATIENCE_MS)

  it('may have bodies, and each is its own', async () => {
    const { webhookPath } = await createLine(context)
    const bodies = Array.from({ length: 5 }, (_, n) => JSON.stringify(messageBody({ text: `Text ${n}` })))
    const post = (body: string) =>
      `POST ${webhookPath} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    const { socket, received } = openSocket(web.port, bodies.map(post).join(''))
    try {
      await until('all are answered', () => received().split('HTTP/1.1 ').length - 1 === 5)
      const texts = await context.db('messages').orderBy('id').pluck<string[]>('text')
      expect(texts).to.have.members(bodies.map((_, n) => `Text ${n}`))
    } finally {
      socket.destroy()
    }
  })
})

describe('the requests of one connection', () => {
  interface Held {
    url: string
    response: ServerResponse
  }
  const held: Held[] = []
  let closedCount = 0
  let answersAtOnce = false
  const handle = (request: IncomingMessage, response: ServerResponse) => {
    held.push({ url: request.url ?? '', response })
    request.resume()
    if (answersAtOnce) response.end()
  }
  const limited = limitPipelining(handle)
  let readCount = 0
  const server = createServer((request, response) => {
    readCount++
    response.once('close', () => closedCount++)
    limited(request, response)
  })
  let port = 0

  before(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    port = (server.address() as AddressInfo).port
  })
  const sockets: Socket[] = []
  const send = (count: number) => {
    const opened = openSocket(port, numbered(count))
    sockets.push(opened.socket)
    return opened
  }
  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await until('the server has seen it', async () => (await connectionCount({ server })) === 0)
  })
  beforeEach(() => {
    held.length = 0
    readCount = 0
    closedCount = 0
    answersAtOnce = false
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  const numbered = (count: number) =>
    Array.from({ length: count }, (_, n) => `GET /${n} HTTP/1.1\r\nHost: x\r\n\r\n`).join('')

  it('are processed four at a time, and each one that ends makes room for the next', async () => {
    const { received } = send(10)
    await until('four are begun', () => held.length === 4)
    await until('all are read', () => readCount === 10)
    expect(held).to.have.lengthOf(4)
    held[0]!.response.end('first')
    await until('the fifth is begun', () => held.length === 5)
    for (let n = 1; n < 10; n++) {
      await until(`${n} is begun`, () => held[n])
      held[n]!.response.end()
    }
    await until('all are answered', () => countAnswers(received()) === 10)
    expect(held.map(({ url }) => url)).to.deep.equal(Array.from({ length: 10 }, (_, n) => `/${n}`))
  })

  it('are not even read while many wait, and are read on afterwards', async () => {
    const { received } = send(10_000)
    await until('four are begun', () => held.length === 4)
    // A neighbour has been through the whole of the event loop meanwhile.
    const neighbour = httpRequest({ port, path: '/neighbour', agent: false }).end()
    const { response } = await until('the neighbour is begun', () =>
      held.find(({ url }) => url === '/neighbour'),
    )
    response.end()
    expect(readCount).to.be.below(5000)
    answersAtOnce = true
    for (const { response } of held) response.end()
    await until('all are answered', () => countAnswers(received()) === 10_000, PATIENCE_MS)
    neighbour.destroy()
  }).timeout(2 * PATIENCE_MS)

  it('that have not begun when the client leaves never begin, and all are told of its end', async () => {
    const { socket } = send(10)
    await until('all are read', () => readCount === 10)
    socket.destroy()
    await until('all are told', () => closedCount === 10)
    expect(held).to.have.lengthOf(4)
  })
})
