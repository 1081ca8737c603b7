import { expect } from 'chai'
import { once } from 'node:events'
import { type IncomingMessage, type ServerResponse } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { listen, type WebServer } from '../../../src/web/listening/listen.js'
import { openForEachTest } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import { connectionCount, requestRaw } from '../../helpers/web/raw-request.js'

/** What a request costs the only thread of this process. */
const COST_MS = 25

describe('requests that wait too long to be accepted', () => {
  const server = openForEachTest(openSlow)

  it('are refused immediately with a readable error, until the queue is short again', async () => {
    const { changes, get } = server
    expect((await get('/webhooks/line/x')).status).to.equal(200)
    const crowd = await Promise.all(Array.from({ length: 150 }, () => get('/webhooks/line/x')))
    const statuses = crowd.map(({ status }) => status)
    expect(statuses).to.include(200)
    expect(statuses).to.include(503)
    const turnedAway = crowd.find(({ status }) => status === 503)
    expect(turnedAway?.text).to.equal('{"success":false,"error":"Service is temporarily unavailable"}')
    expect(turnedAway?.headers).to.include({ 'retry-after': '2', 'cache-control': 'no-store' })
    expect(changes[0]).to.equal(true)

    await until('they are let in again', async () => (await get('/v1/lines')).status === 200)
    await until('it is told', () => changes.at(-1) === false)
    // Nobody stands in line when nobody comes.
    await until('nobody of ours is left', async () => (await server.connectionCount()) === 0)
  })

  it('get a problem outside of /webhooks, and health checks still work', async () => {
    const { get } = server
    const paths = Array.from({ length: 150 }, (_, n) => (n % 3 === 0 ? '/healthz' : '/v1/lines'))
    const answers = await Promise.all(paths.map(get))
    const turnedAway = answers.filter(({ status }) => status === 503)
    expect(turnedAway).not.to.have.length(0)
    for (const { path, text } of turnedAway) {
      expect(path).to.equal('/v1/lines')
      expect(JSON.parse(text)).to.include({ status: 503, title: 'Service Unavailable' })
    }
  })

  it('are let in again although the connection that was to wait with them got lost in the kernel', async () => {
    const { get } = server
    const regain = await server.loseConnections()
    await until('they are refused', async () => (await get('/v1/lines')).status === 503)
    regain()
    await until('they are let in again', async () => (await get('/v1/lines')).status === 200)
  })
})

interface Slow {
  changes: boolean[]
  get: (path: string) => Promise<{ path: string } & Awaited<ReturnType<typeof requestRaw>>>
  connectionCount: () => Promise<number>
  /** From now on connections of the server to itself are open on their side only. Resolves to what ends that. */
  loseConnections: () => Promise<() => void>
  close: () => Promise<void>
}

/** A server whose every request keeps the event loop busy, so that Node lets few in at a time. */
async function openSlow(): Promise<Slow> {
  const changes: boolean[] = []
  const handle = (_: IncomingMessage, response: ServerResponse) => {
    const end = performance.now() + COST_MS
    while (performance.now() < end);
    response.end('{}')
    return Promise.resolve()
  }
  const web: WebServer = await listen(
    handle,
    { port: 0, host: '127.0.0.1' },
    { finishMs: 500, acceptDelay: { onChange: (isTooLong) => changes.push(isTooLong) } },
  )
  const { port } = web.server.address() as AddressInfo
  return {
    changes,
    get: async (path) => ({ path, ...(await requestRaw(port, path, { agent: false })) }),
    connectionCount: () => connectionCount(web),
    loseConnections: async () => {
      const elsewhere = createServer().listen(0, '127.0.0.1')
      await once(elsewhere, 'listening')
      const addressOfWeb = web.server.address
      web.server.address = () => elsewhere.address()
      return () => {
        web.server.address = addressOfWeb
        elsewhere.close()
      }
    },
    close: () => web.close(),
  }
}
