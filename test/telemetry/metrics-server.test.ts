import { once } from 'node:events'
import type { Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { expect } from 'chai'
import { listenForScrapes } from '../../src/telemetry/metrics-server.js'
import { failure } from '../helpers/failure.js'
import { parseMetrics } from '../helpers/metrics.js'

const TOKEN = 'qX4vT9zLm2Rk7WcBn5HdYf8J'

describe('the port for metrics', () => {
  const servers: Server[] = []

  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    }
  })

  async function open({
    token,
    prepare,
  }: { token?: string; prepare?: () => Promise<void> } = {}): Promise<number> {
    const server = await listenForScrapes({ host: '127.0.0.1', port: 0, token }, prepare)
    servers.push(server)
    return (server.address() as AddressInfo).port
  }

  const ask = (port: number, path = '/metrics', init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, init)

  it('answers GET /metrics, and prepares each answer', async () => {
    let prepared = 0
    const port = await open({ prepare: () => Promise.resolve(void (prepared += 1)) })
    const answer = await ask(port)
    expect([answer.status, answer.headers.get('content-type')]).to.deep.equal([
      200,
      'text/plain; version=0.0.4; charset=utf-8',
    ])
    expect(parseMetrics(await answer.text()).map(({ name }) => name)).to.include('linehook_live_streams')
    expect(prepared).to.equal(1)
  })

  it('answers nothing else', async () => {
    const port = await open()
    expect((await ask(port, '/')).status).to.equal(404)
    expect((await ask(port, '/v1/lines')).status).to.equal(404)
    const post = await ask(port, '/metrics', { method: 'POST', body: 'x' })
    expect([post.status, post.headers.get('allow')]).to.deep.equal([405, 'GET, HEAD'])
  })

  it('wants METRICS_TOKEN where there is one', async () => {
    const port = await open({ token: TOKEN })
    for (const authorization of ['', 'Bearer wrong', `Basic ${TOKEN}`, TOKEN]) {
      const refused = await ask(port, '/metrics', { headers: { authorization } })
      expect(refused.status, authorization).to.equal(401)
      expect(refused.headers.get('www-authenticate')).to.equal('Bearer realm="Linehook metrics"')
      expect(await refused.text()).not.to.include('linehook_')
    }
    const answer = await ask(port, '/metrics', { headers: { authorization: `Bearer ${TOKEN}` } })
    expect(answer.status).to.equal(200)
  })

  it('closes a connection that does not say what it wants', async () => {
    const port = await open()
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    socket.write('GET /metrics HTTP/1.1\r\nHost: ')
    const startedAt = performance.now()
    socket.resume()
    await once(socket, 'close')
    expect(performance.now() - startedAt, 'not the minute of a Node server').to.be.below(40_000)
  })

  it('says that its port is in use', async () => {
    const port = await open()
    const error = await failure(listenForScrapes({ host: '127.0.0.1', port, token: undefined }))
    expect(error).to.have.property('code', 'EADDRINUSE')
  })
})
