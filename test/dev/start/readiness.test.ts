import { expect } from 'chai'
import { createServer, type RequestListener, type Server } from 'node:http'
import { once } from 'node:events'
import { freePort } from '../../../dev/services/free-port.js'
import { untilReady } from '../../../dev/start/readiness.js'
import { until } from '../../helpers/until.js'

const EVERY_MS = 50

describe('readiness', () => {
  let port: number
  let lines: string[]
  const servers: Server[] = []

  beforeEach(async () => {
    port = await freePort()
    lines = []
  })

  afterEach(() => {
    for (const server of servers.splice(0)) server.close().closeAllConnections()
  })

  const wait = (signal = new AbortController().signal, host = '127.0.0.1') =>
    untilReady({ host, port }, (line) => lines.push(line), signal, EVERY_MS)

  async function listen(handle: RequestListener): Promise<void> {
    const server = createServer(handle).listen(port, '127.0.0.1')
    servers.push(server)
    await once(server, 'listening')
  }

  it('is waited for however long it takes, and it is said again and again what is missing', async () => {
    const waiting = wait()
    await until('it was said three times', () => lines.length >= 3)
    // How long it has waited is a matter of the machine.
    expect(lines[0]?.replace(/after \d+ s/, 'after … s')).to.equal(
      `web does not answer at http://127.0.0.1:${port}/readyz after … s, waiting for it …`,
    )
    let postgres = 'unreachable'
    await listen((_request, response) => {
      response.writeHead(postgres === 'ok' ? 200 : 503).end(JSON.stringify({ postgres }))
    })
    await until('it is said what else is missing', () =>
      lines.some((line) => line.startsWith('web answers, but Postgres is unreachable after ')),
    )
    postgres = 'ok'
    await waiting
  })

  it('is asked for at an IPv6 address too', async () => {
    const stopping = new AbortController()
    const waiting = wait(stopping.signal, '::1')
    await until('it was said where', () => lines.length > 0)
    expect(lines[0]).to.include(`web does not answer at http://[::1]:${port}/readyz`)
    stopping.abort()
    await waiting
  })

  it('is not waited for any longer when the service is to stop, even if web hangs', async () => {
    const stopping = new AbortController()
    const asked = new Promise((resolve) => void listen(resolve))
    const waiting = wait(stopping.signal)
    await asked
    stopping.abort()
    await waiting
  })
})
