import { createServer, type AddressInfo, type Socket } from 'node:net'
import { expect } from 'chai'
import { changePolicy } from '../../../../src/domain/endpoints/policies.js'
import { createSafeFetch, type Lookup, type SafeFetchOptions } from '../../../../src/safe-fetch.js'
import { describeContext } from '../../../helpers/context.js'
import { lineForEachTest, own } from '../../../helpers/factories.js'
import { startFullListener } from '../../../helpers/web/full-listener.js'
import { openForSuite } from '../../../helpers/suite.js'
import { changeRows, deliverWhenDue, deliveryRow, receiveForDelivery } from '../../fixtures.js'

/** Takes connections and says nothing on them: there a TLS handshake does not end, and a request has no answer. */
async function startMute() {
  const sockets = new Set<Socket>()
  let heard = ''
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined).on('data', (bytes) => (heard += bytes.toString('latin1')))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => heard.split('POST /').length - 1,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const silence: Lookup = () => undefined

/** Shorter than the 5 s that a connection may take to open: its end comes while nothing has left yet. */
const environment = { DELIVERY_TIMEOUT_MS: '300' }

describeContext(
  'an event that is not to be sent twice (retryOnTimeout: false)',
  { environment },
  (context) => {
    const full = openForSuite(startFullListener)
    const mute = openForSuite(startMute)

    const line = lineForEachTest(context, { outgoingUrl: 'http://127.0.0.1:1/' })
    beforeEach(async () => {
      await changePolicy(context, ...own(line), { retryOnTimeout: false })
    })

    /** By a door of its own: the service's has the system's look-up, and 5 s. */
    async function attempt(
      url: string,
      options: Partial<SafeFetchOptions> = {},
      deliveryTimeoutMs = context.config.deliveryTimeoutMs,
    ) {
      const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
      await changeRows(context, 'endpoints', endpointId, { url })
      const config = { ...context.config, deliveryTimeoutMs }
      const safeFetch = createSafeFetch({ allowHttp: true, allowedPrivateCidrs: ['127.0.0.0/8'], ...options })
      try {
        const outcome = await deliverWhenDue({ ...context, config, safeFetch }, id, endpointId)
        return { outcome, row: await deliveryRow(context, id) }
      } finally {
        await safeFetch.close()
      }
    }

    for (const [what, failure, urlOf, options] of [
      ['the name was looked up', 'dns', () => 'http://hooks.test/', { lookup: silence }],
      ['the connection was made', 'connect', () => `http://${full.host}/`, {}],
      ['the TLS handshake was done', 'tls', () => `https://${mute.host}/`, {}],
    ] as const) {
      it(`is tried again if its time was over before ${what}`, async () => {
        const { outcome, row } = await attempt(urlOf(), options)
        expect(outcome).to.include({ kind: 'retry', failure: 'timeout' })
        expect(row).to.include({ status: 'pending', last_failure: 'timeout', attempt_count: 1 })
      })

      it(`is tried again if a connection's own time was over before ${what}`, async () => {
        const { outcome, row } = await attempt(urlOf(), { ...options, connectTimeoutMs: 100 }, 20_000)
        expect(outcome).to.include({ kind: 'retry', failure })
        expect(row).to.include({ status: 'pending', attempt_count: 1 })
      })
    }

    it('is not tried again if the request had left', async () => {
      // So long that it has left by then on a busy machine too.
      const { outcome, row } = await attempt(`http://${mute.host}/`, {}, 3000)
      expect(outcome).to.deep.equal({ kind: 'exhausted', failure: 'timeout' })
      expect(row).to.include({ status: 'exhausted', last_failure: 'timeout' })
      expect(mute.requests()).to.equal(1)
    })
  },
)
