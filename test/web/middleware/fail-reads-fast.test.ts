import { expect } from 'chai'
import { readVersion } from '../../../src/config/version.js'
import { newId } from '../../../src/ids.js'
import { startProxy, type Proxy } from '../../database/proxy.js'
import { createTestContext } from '../../helpers/context.js'
import { lineForAllTests, messageBody } from '../../helpers/factories.js'
import { createTestDatabase } from '../../helpers/services/services.js'
import { until } from '../../helpers/until.js'
import { describeWeb, type Answer } from '../../helpers/web/web.js'

/** A statement that hangs would be given up only long after the test. */
const ENDLESS = { statementTimeoutMs: 300_000, acquireTimeoutMs: 300_000 }

let proxy: Proxy

async function open() {
  proxy = await startProxy(await createTestDatabase())
  const context = await createTestContext({ DATABASE_URL: proxy.url }, ENDLESS)
  return { ...context, close: () => context.close().then(() => proxy.close()) }
}

describeWeb('a request while Postgres hangs', { open }, ({ context, web }) => {
  const line = lineForAllTests(context)

  beforeEach(() => until('Postgres responds', async () => (await web.request('/readyz')).status === 200))

  afterEach(() => {
    proxy.goUp()
  })

  it('that only reads is answered 503 before Postgres responds', async () => {
    proxy.freeze()
    const headers = { authorization: `Bearer lhp_${'x'.repeat(43)}`, accept: 'application/json' }
    const answer = await web.request('/v1/lines', { headers })
    expect([answer.status, answer.headers.get('retry-after')]).to.deep.equal([503, '5'])
  })

  it('that asks for readiness is answered before Postgres responds', async () => {
    proxy.freeze()
    const answer = await web.request('/readyz')
    expect([answer.status, answer.body]).to.deep.equal([
      503,
      { status: 'unavailable', version: readVersion(), postgres: 'unreachable', redis: 'ok' },
    ])
  })

  it('that is a carrier’s callback waits for Postgres, also if it is a GET', async () => {
    proxy.freeze()
    let answered: Answer | undefined
    const called = web
      .request(`/carriers/kannel/${newId()}/message?text=Hi`)
      .then((answer) => (answered = answer))
    await web.request('/readyz')
    await web.request('/v1/lines', { headers: { authorization: `Bearer lhp_${'x'.repeat(43)}` } })
    expect(answered).to.equal(undefined)
    proxy.goUp()
    expect((await called).status).to.equal(404)
  })

  it('that sends a message waits for Postgres, which may have it already', async () => {
    proxy.freeze()
    let answered: Answer | undefined
    const posted = web
      .post(`/webhooks/lineId/${line.lineId}?token=${line.token}`, messageBody())
      .then((answer) => (answered = answer))
    await web.request('/readyz')
    expect(answered).to.equal(undefined)
    proxy.goUp()
    expect((await posted).status).to.equal(200)
  })
})
