import { once } from 'node:events'
import { Agent, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mock } from 'node:test'
import { expect } from 'chai'
import { listen } from '../../../src/web/listening/listen.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, messageBody } from '../../helpers/factories.js'
import { openForEachTest } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import { serveApp } from '../../helpers/web/web.js'
import { openHolder } from '../../database/hold.js'
import { countWaitingForLocks } from '../../domain/fixtures.js'
import { messagesOf } from '../support.js'
import { answerTo, openSocket, parseAnswer } from './raw-socket.js'
import { connectionCount, requestRaw } from '../../helpers/web/raw-request.js'

describeContext('the HTTP server', (context) => {
  const web = openForEachTest(() => serveApp(context))

  it('has the time-outs of the design', () => {
    const { headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxHeadersCount } = web.server
    expect({ headersTimeout, requestTimeout, keepAliveTimeout, timeout, maxHeadersCount }).to.deep.equal({
      headersTimeout: 10_000,
      requestTimeout: 360_000,
      keepAliveTimeout: 10_000,
      timeout: 60_000,
      maxHeadersCount: 100,
    })
    expect(web.server).to.have.property('connectionsCheckingInterval', 1000)
  })

  it('keeps the idle connections of a proxy for longer than any proxy does', async () => {
    const handle = (_: IncomingMessage, response: ServerResponse) => Promise.resolve(void response.end())
    const behind = await listen(handle, { port: 0, host: '127.0.0.1', trustedProxyHops: 1 })
    const agent = new Agent({ keepAlive: true })
    try {
      const { port } = behind.server.address() as AddressInfo
      const { headers } = await requestRaw(port, '/', { agent })
      expect(headers['keep-alive']).to.equal('timeout=620')
    } finally {
      agent.destroy()
      await behind.close()
    }
  })

  describe('answers in JSON, with a body, what is no HTTP', () => {
    const get = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n'
    for (const [what, status, data] of [
      ['garbage', 400, 'hello\r\n\r\n'],
      ['a TLS hello', 400, Buffer.from('16030100c2010000be0303', 'hex')],
      ['binary zeros', 400, Buffer.alloc(100)],
      ['an unknown method', 400, 'FOO / HTTP/1.1\r\n\r\n'],
      ['a request to be a proxy', 400, 'CONNECT other.example:443 HTTP/1.1\r\nHost: other.example\r\n\r\n'],
      ['a target without a path', 400, 'GET ?token=x HTTP/1.1\r\n\r\n'],
      ['a version that is none', 400, 'GET / HTTP/9.9\r\n\r\n'],
      ['a header without a colon', 400, `${get}nonsense\r\n\r\n`],
      ['a Content-Length that is none', 400, `${get}Content-Length: many\r\n\r\n`],
      ['two lengths', 400, `${get}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\nabc`],
      ['headers over 16 KiB', 431, `${get}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`],
    ] as const) {
      it(what, async () => {
        const answer = await answerTo(web.port, data)
        expect(answer.status).to.equal(status)
        expect(answer.headers).to.include({ 'content-type': 'application/json', connection: 'close' })
        expect(answer.body).to.have.property('success', false)
        expect(answer.body)
          .to.have.property('error')
          .that.matches(/: the request could not be read$/)
      })
    }

    it('a chunk of nonsense in the body of a message', async () => {
      const { webhookPath } = await createLine(context)
      const answer = await answerTo(
        web.port,
        `POST ${webhookPath} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`,
      )
      expect([answer.status, answer.body]).to.deep.include(400)
    })
  })

  it('answers the requests before one that cannot be read first, so that nobody sends a text twice', async () => {
    const line = await createLine(context)
    const post = (toNumber: string) => {
      const message = JSON.stringify(messageBody({ toNumber }))
      return `POST ${line.webhookPath} HTTP/1.1\r\nContent-Length: ${message.length}\r\n\r\n${message}`
    }
    const { socket, received, ended } = openSocket(
      web.port,
      `${post('+15005550191')}${post('+15005550192')}and more than its Content-Length\r\n\r\n`,
    )
    await ended
    socket.destroy()
    expect(received().match(/HTTP\/1\.1 \d+/g)).to.deep.equal([
      'HTTP/1.1 200',
      'HTTP/1.1 200',
      'HTTP/1.1 400',
    ])
    expect(await messagesOf(context, line.lineId)).to.have.length(2)
  })

  it('adds no second answer to one that has begun before the rest of its request cannot be read', async () => {
    const handle = (_: IncomingMessage, response: ServerResponse) =>
      Promise.resolve(void response.write('begun'))
    const early = await listen(handle, { port: 0, host: '127.0.0.1' })
    const { port } = early.server.address() as AddressInfo
    const { socket, ended, received } = openSocket(
      port,
      'POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n',
    )
    try {
      await until('the answer has begun', () => received().includes('begun'))
      socket.write('zz\r\n')
      await ended
      expect(received().match(/HTTP\/1\.1 \d+/g)).to.deep.equal(['HTTP/1.1 200'])
    } finally {
      socket.destroy()
      await early.close()
    }
  })

  describe('answers requests that are odd but allowed', () => {
    for (const [what, status, head] of [
      ['without a Host', 200, 'GET /healthz HTTP/1.1\r\n'],
      ['of HTTP/1.0', 200, 'GET /healthz HTTP/1.0\r\n'],
      ['with a Host that is none', 200, 'GET /healthz HTTP/1.1\r\nHost: a b\r\n'],
      ['that expect something unknown', 200, 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: pizza\r\n'],
      ['that want to upgrade', 200, 'GET /healthz HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n'],
      ['with a whole URL as the target', 200, 'GET http://other.example/healthz HTTP/1.1\r\nHost: x\r\n'],
      ['with a URL that has no path', 404, 'GET http://other.example HTTP/1.1\r\nHost: x\r\n'],
      ['with a URL that cannot be parsed', 404, 'GET http://[::1 HTTP/1.1\r\nHost: x\r\n'],
      ['with a port that cannot be', 404, 'GET http://a:99999999/healthz HTTP/1.1\r\nHost: x\r\n'],
      ['with * as the target', 404, 'OPTIONS * HTTP/1.1\r\nHost: x\r\n'],
      ['with two slashes as the target', 404, 'GET // HTTP/1.1\r\nHost: x\r\n'],
    ] as const) {
      it(what, async () => {
        const answer = await answerTo(web.port, `${head}Connection: close\r\n\r\n`)
        expect(answer.status).to.equal(status)
        expect(answer.body).to.be.an('object')
        expect(answer.headers['x-content-type-options']).to.equal('nosniff')
      })
    }
  })

  describe('answers more header fields than are read with 431', () => {
    const fields = (count: number) => Array.from({ length: count }, (_, n) => `X-${n}: ${n}\r\n`).join('')
    const ask = (head: string, count: number) =>
      answerTo(web.port, `${head}Host: localhost\r\nConnection: close\r\n${fields(count - 2)}\r\n`)

    it('as a problem', async () => {
      expect((await ask('GET /healthz HTTP/1.1\r\n', 100)).status).to.equal(200)
      for (const count of [101, 102, 128, 129, 200, 500]) {
        const { status, headers, body } = await ask('GET /healthz HTTP/1.1\r\n', count)
        expect([status, headers['content-type']], String(count)).to.deep.equal([
          431,
          'application/problem+json',
        ])
        expect(body).to.include({ detail: 'Request has too many header fields: 100 at most' })
      }
    })

    it('to a webhook in its own words, and its message is not sent', async () => {
      const line = await createLine(context)
      const message = JSON.stringify(messageBody())
      const head = `POST ${line.webhookPath} HTTP/1.1\r\nContent-Length: ${message.length}\r\n`
      const send = (count: number) =>
        answerTo(web.port, `${head}Connection: close\r\n${fields(count - 2)}\r\n${message}`)
      for (const count of [101, 300]) {
        const { status, body } = await send(count)
        expect([status, body]).to.deep.equal([
          431,
          { success: false, error: 'Request has too many header fields: 100 at most' },
        ])
      }
      expect(await messagesOf(context, line.lineId)).to.deep.equal([])
      expect((await send(100)).status).to.equal(200)
    })
  })

  it('does not keep the connection of a sender that sends nonsense and never closes', async () => {
    const { socket, ended, received } = openSocket(web.port, 'hello\r\n\r\n')
    try {
      await ended
      expect(parseAnswer(received()).status).to.equal(400)
      await until('the connection is gone', async () => (await connectionCount(web)) === 0, 5000)
    } finally {
      socket.destroy()
    }
  })

  describe('while it closes', () => {
    const agents: Agent[] = []

    function newAgent(): Agent {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      agents.push(agent)
      return agent
    }

    afterEach(() => {
      for (const agent of agents) agent.destroy()
    })

    it('finishes requests in progress, and tells their clients to disconnect', async () => {
      const line = await createLine(context)
      const holder = await openHolder(context.db)
      await holder.raw('select pg_advisory_xact_lock(hashtextextended(?::uuid::text, 0))', [line.lineId])
      const sent = { agent: newAgent(), method: 'POST', body: JSON.stringify(messageBody()) }
      const answer = requestRaw(web.port, line.webhookPath, sent)
      await until('the message waits for its line', async () => (await countWaitingForLocks(context)) > 0)
      const drained = web.drain()
      await holder.rollback()
      const { status, headers, text } = await answer
      expect([status, headers.connection, text]).to.deep.equal([200, 'close', '{"success":true}'])
      await drained
    })

    it('answers requests on keep-alive connections, tells the clients to disconnect, and ends with them', async () => {
      const clients = Array.from({ length: 20 }, async () => {
        const agent = newAgent()
        for (;;) {
          const { status, headers } = await requestRaw(web.port, '/healthz', { agent })
          expect(status).to.equal(200)
          if (headers.connection === 'close') return
        }
      })
      await until('the clients are connected', async () => (await connectionCount(web)) === clients.length)
      // No time passes, so nobody is cut off.
      mock.timers.enable({ apis: ['setTimeout'] })
      try {
        await Promise.all([web.drain(), ...clients])
      } finally {
        mock.timers.reset()
      }
    })

    it('answers all requests that a connection has sent at once, and begins no other one of it', async () => {
      const handled: ServerResponse[] = []
      const handle = (_: IncomingMessage, response: ServerResponse) => {
        handled.push(response)
        return Promise.resolve()
      }
      const pipelined = await listen(handle, { port: 0, host: '127.0.0.1' })
      const { port } = pipelined.server.address() as AddressInfo
      const { socket, ended, received } = openSocket(port, 'GET /1 HTTP/1.1\r\n\r\nGET /2 HTTP/1.1\r\n\r\n')
      await until('both are handled', () => handled.length === 2)
      const closed = pipelined.close()
      const third = once(pipelined.server, 'request')
      socket.write('GET /3 HTTP/1.1\r\n\r\n')
      await third
      for (const [n, response] of handled.entries()) response.end(`answer ${n + 1}`)
      await ended
      expect(received()).to.match(/keep-alive[^]*answer 1[^]*Connection: close[^]*answer 2$/)
      expect(handled).to.have.length(2)
      socket.destroy()
      await closed
    })

    it('cuts off what is not answered 20 s later, before the process has to be gone', async () => {
      const late = await listen(() => new Promise(() => undefined), { port: 0, host: '127.0.0.1' })
      const received = once(late.server, 'request')
      const { ended } = openSocket((late.server.address() as AddressInfo).port, 'GET / HTTP/1.1\r\n\r\n')
      const [request] = (await received) as [IncomingMessage]
      mock.timers.enable({ apis: ['setTimeout'] })
      try {
        const closed = late.close()
        mock.timers.tick(19_999)
        expect(request.socket.destroyed).to.be.false
        mock.timers.tick(1)
        expect(request.socket.destroyed).to.be.true
        mock.timers.reset()
        await Promise.all([closed, ended])
      } finally {
        mock.timers.reset()
      }
    })

    it('closes a connection whose answer had begun, soon after the end of that', async () => {
      const begun: ServerResponse[] = []
      const handle = (_: IncomingMessage, response: ServerResponse) => {
        response.write('begun, ')
        begun.push(response)
        return Promise.resolve()
      }
      const late = await listen(handle, { port: 0, host: '127.0.0.1', trustedProxyHops: 1 })
      const { port } = late.server.address() as AddressInfo
      const { socket, ended, received } = openSocket(port, 'GET / HTTP/1.1\r\n\r\n')
      await until('the answer has begun', () => begun.length === 1)
      // Connections that are idle by then are closed, and time stands still before the cut.
      mock.timers.enable({ apis: ['setTimeout'] })
      try {
        const closed = late.close()
        mock.timers.tick(1000)
        begun[0]?.end('complete')
        await ended
        socket.destroy()
        await closed
      } finally {
        mock.timers.reset()
        late.server.closeAllConnections()
      }
      expect(received()).to.match(/begun, [^]*complete/)
    })

    it('accepts no new connections', async () => {
      const { socket } = openSocket(web.port, 'POST /healthz HTTP/1.1\r\n')
      await until('the server has the connection', async () => (await connectionCount(web)) === 1)
      const drained = web.drain()
      const refusal = await requestRaw(web.port, '/healthz', { agent: newAgent() }).catch(
        (error: unknown) => error,
      )
      expect(refusal).to.have.property('code', 'ECONNREFUSED')
      socket.destroy()
      await drained
    })

    it('closes connections that are idle for a moment', async () => {
      await requestRaw(web.port, '/healthz', { agent: newAgent() })
      const startedAt = performance.now()
      await web.drain()
      expect(performance.now() - startedAt, 'neither its own time-out nor the cut').to.be.below(9000)
    })

    it('finally closes connections that do not end', async () => {
      const sockets = [
        '',
        'GET /healthz HTTP/1.1\r\n',
        'POST /healthz HTTP/1.1\r\nContent-Length: 9\r\n\r\nx',
      ]
      const impatient = await serveApp(context, { finishMs: 500 })
      const open = sockets.map((data) => openSocket(impatient.port, data))
      await until('the server has them', async () => (await connectionCount(impatient)) === open.length)
      const startedAt = performance.now()
      await impatient.drain()
      expect(performance.now() - startedAt, 'none of their time-outs').to.be.within(400, 9000)
      await Promise.all(open.map(({ ended }) => ended))
      for (const { socket } of open) socket.destroy()
    })
  })
})
