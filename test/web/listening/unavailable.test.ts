import { expect } from 'chai'
import { freePort } from '../../../dev/services/free-port.js'
import { readConfig } from '../../../src/config.js'
import { readVersion } from '../../../src/config/version.js'
import type { Context } from '../../../src/domain/context.js'
import { createContext, WEB_LIMITS } from '../../../src/domain/open-context.js'
import { createPerson } from '../../domain/people/people.js'
import { createTestContext } from '../../helpers/context.js'
import { createEnvironment, type Environment } from '../../helpers/process/environment.js'
import { createLine, lineForAllTests, messageBody } from '../../helpers/factories.js'
import { createTestDatabase } from '../../helpers/services/services.js'
import { until } from '../../helpers/until.js'
import { waitedMs } from '../../helpers/waited.js'
import { browse } from '../../helpers/web/browser-session.js'
import { describeWeb, type Answer, withWeb } from '../../helpers/web/web.js'
import { transaction } from '../../../src/database/connection.js'
import { migrate } from '../../../src/database/migrations.js'
import { startProxy as startAbandoningProxy } from '../../database/proxy.js'
import { startProxy, through, type TcpProxy } from '../proxy.js'
import { expectAccepted, expectRefused, messagesOf, newNumber } from '../support.js'

const UNAVAILABLE = 'Service is temporarily unavailable'
/** The promise is 2 s, the rest is what this process waits for others on a busy machine. */
const SOON_MS = 3500
const AS_WEB = { ...WEB_LIMITS, callersWaitMs: 1000 }

/** As `createTestContext`, and waits for no store. */
const openContext = async (environment: Environment, limits: Partial<typeof AS_WEB> = {}) =>
  createContext(readConfig(await createEnvironment(environment)), { process: 'test', ...limits })

let proxy: TcpProxy

async function openBehindProxy(): Promise<Context> {
  const direct = await createTestDatabase()
  proxy = await startProxy(direct)
  return withProxy(await createTestContext({ DATABASE_URL: through(proxy, direct) }, AS_WEB), proxy)
}

/** What is behind a proxy goes first. */
function withProxy(context: Context, { close }: { close(): Promise<void> }): Context {
  return { ...context, close: () => context.close().then(close) }
}

describeWeb('without Postgres', { open: openBehindProxy }, ({ context, web }) => {
  const line = lineForAllTests(context)

  afterEach(() => proxy.restore())

  const send = () => web.post(line.webhookPath, messageBody({ toNumber: newNumber() }))

  for (const how of ['refuse', 'hang'] as const) {
    const what = how === 'refuse' ? 'is not there' : 'does not answer'

    it(`a message gets a 503 with Retry-After within about 2 s when it ${what}, and is accepted when it is back`, async () => {
      expectAccepted(await send())
      await proxy.cut(how)
      // The pool notices at different times that its connections are dead.
      expectRefused(await send(), 503, UNAVAILABLE)
      let answers: Answer[] = []
      const waited = await waitedMs(async () => {
        answers = await Promise.all(Array.from({ length: 20 }, send))
      })
      expect(waited).to.be.below(SOON_MS)
      for (const answer of answers) {
        expectRefused(answer, 503, UNAVAILABLE)
        expect(answer.headers.get('retry-after')).to.match(/^[1-9]\d*$/)
      }
      await proxy.restore()
      expectAccepted(
        await until('it accepts again', () => send().then((answer) => answer.status === 200 && answer)),
      )
    })

    it(`/readyz returns 503 when it ${what}, while /healthz returns 200`, async () => {
      expect((await web.request('/readyz')).status).to.equal(200)
      await proxy.cut(how)
      expect((await web.request('/readyz')).status).to.equal(503)
      const waited = await waitedMs(async () => {
        const ready = await web.request('/readyz')
        expect(ready.status).to.equal(503)
        expect(ready.body).to.deep.equal({
          status: 'unavailable',
          version: readVersion(),
          postgres: 'unreachable',
          redis: 'ok',
        })
      })
      expect(waited).to.be.below(SOON_MS)
      expect((await web.request('/healthz')).status).to.equal(200)
      await proxy.restore()
      await until('it is ready again', async () => (await web.request('/readyz')).status === 200)
    })
  }

  it('that responds only on new connections is used again automatically after at most 2 s', async () => {
    const way = await startAbandoningProxy(await createTestDatabase())
    const open = async () => withProxy(await openContext({ DATABASE_URL: way.url }, AS_WEB), way)
    await withWeb(open, async ({ context: quick, web: quickWeb }) => {
      await migrate(quick.db)
      const { webhookPath } = await createLine(quick)
      const post = () => quickWeb.post(webhookPath, messageBody({ toNumber: newNumber() }))
      // As many connections as there will be.
      for (const answer of await Promise.all(Array.from({ length: 5 }, post))) expectAccepted(answer)
      way.abandonOpen()
      const waited = await waitedMs(async () => {
        for (const answer of await Promise.all(Array.from({ length: 5 }, post))) {
          expect(answer.status).to.be.oneOf([200, 503])
        }
      })
      expect(waited).to.be.below(SOON_MS)
      expectAccepted(
        await until('it accepts again', () => post().then((answer) => answer.status === 200 && answer)),
      )
    })
  })

  it('that failed over has its connections to the old, read-only server closed', async () => {
    await withWeb({ DATABASE_POOL_SIZE: '1' }, async ({ context: single, web: singleWeb }) => {
      const { webhookPath } = await createLine(single)
      await single.db.raw(`select set_config('default_transaction_read_only', 'on', false)`)
      const { status } = await singleWeb.post(webhookPath, messageBody())
      expect(status).to.be.oneOf([200, 503])
      expectAccepted(await singleWeb.post(webhookPath, messageBody()))
    })
  })

  it('that failed over has all of them closed at the first failure', async () => {
    await withWeb({ DATABASE_POOL_SIZE: '3' }, async ({ context: few, web: fewWeb }) => {
      const { db } = few
      const { lineId, webhookPath } = await createLine(few)
      const open = await Promise.all(Array.from({ length: 3 }, () => db.transaction()))
      for (const trx of open) await trx.raw(`select set_config('default_transaction_read_only', 'on', false)`)
      for (const trx of open) await trx.commit()
      const rename = () =>
        transaction(db, (trx) => trx('lines').where({ id: lineId }).update({ name: 'New' }))
      // Each is repeated once: on a connection to the old server it would fail again.
      expect(await Promise.all([rename(), rename(), rename()])).to.deep.equal([1, 1, 1])
      expectAccepted(await fewWeb.post(webhookPath, messageBody()))
    })
  })

  it('from the start, every request gets a response within about 2 s, as a problem outside /webhooks', async () => {
    const nowhere = `postgres://user:pass@127.0.0.1:${await freePort()}/none`
    await withWeb(
      () => openContext({ DATABASE_URL: nowhere }),
      async ({ web: otherWeb }) => {
        const inbound = { fromNumber: '+15005550199', toNumber: '+15005550100', text: 'Hi' }
        const waited = await waitedMs(async () => {
          expectRefused(await otherWeb.post(line.webhookPath, messageBody()), 503, UNAVAILABLE)
          const answer = await otherWeb.post('/simulator/inbound', inbound)
          expect(answer.body).to.deep.equal({
            type: 'about:blank',
            title: 'Service Unavailable',
            status: 503,
            detail: UNAVAILABLE,
          })
          expect(answer.headers.get('content-type')).to.equal('application/problem+json')
        })
        expect(waited).to.be.below(2 * SOON_MS)
      },
    )
  })
})

const withoutRedis = async () => openContext({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` })

describeWeb('without Redis', { open: withoutRedis }, ({ context, web }) => {
  const line = lineForAllTests(context)

  it('messages are accepted and stored', async () => {
    const answers: Answer[] = []
    for (let sent = 0; sent < 5; sent += 1) {
      answers.push(await web.post(line.webhookPath, messageBody({ text: `${sent}` })))
    }
    answers.forEach(expectAccepted)
    const rows = await messagesOf(context, line.lineId)
    expect(rows.map(({ text, status }) => `${text} ${status}`)).to.deep.equal(
      ['0', '1', '2', '3', '4'].map((text) => `${text} queued`),
    )
    expectRefused(await web.post(line.webhookPath, messageBody()), 403, 'Rate limit exceeded')
  })

  it('inbound messages are taken, and open the number for the webhook', async () => {
    const toNumber = newNumber()
    for (let sent = 0; sent < 5; sent += 1) {
      expectAccepted(await web.post(line.webhookPath, messageBody({ toNumber })))
    }
    const inbound = { fromNumber: toNumber, toNumber: line.number, text: 'Hi' }
    expect((await web.post('/simulator/inbound', inbound)).status).to.equal(200)
    expectAccepted(await web.post(line.webhookPath, messageBody({ toNumber })))
  })

  it('the answer to a form shows the secret that it made, because no note can be kept for another page', async () => {
    const browser = await browse(context, web, (await createPerson(context)).id)
    const { status, text } = await browser.submit('/console/settings/api-tokens', { name: 'a program' })
    expect(status).to.equal(200)
    expect(text).to.match(/id="new-token">lhp_/)
  })

  it('/readyz reports it, and is ready', async () => {
    const { status, body } = await web.request('/readyz')
    expect(status).to.equal(200)
    expect(body).to.deep.equal({ status: 'ok', version: readVersion(), postgres: 'ok', redis: 'unreachable' })
  })
})
