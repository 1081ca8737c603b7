import { expect } from 'chai'
import { readVersion } from '../../src/config/version.js'
import { createApp } from '../../src/web/app.js'
import { createLine, lineForAllTests, messageBody } from '../helpers/factories.js'
import { routersOf } from '../helpers/web/routes.js'
import { describeWeb, type Answer, withWeb } from '../helpers/web/web.js'

describeWeb('the app', { environment: { QUEUES_PASSWORD: 'a long password' } }, ({ context, web }) => {
  const line = lineForAllTests(context)

  function expectProblem(answer: Answer, status: number, title: string): void {
    expect(answer.status).to.equal(status)
    expect(answer.headers.get('content-type')).to.equal('application/problem+json')
    expect(answer.body).to.include({ type: 'about:blank', title, status })
    expect(answer.body).to.have.property('detail').that.is.a('string').and.is.not.empty
  }

  it('says that it lives and that it is ready', async () => {
    const live = await web.request('/healthz')
    expect([live.status, live.body]).to.deep.equal([200, { status: 'ok' }])
    const ready = await web.request('/readyz')
    expect([ready.status, ready.body]).to.deep.equal([
      200,
      { status: 'ok', version: readVersion(), postgres: 'ok', redis: 'ok' },
    ])
  })

  it('answers an unknown path with a problem', async () => {
    for (const path of ['/nothing', '/webhook', '/webhooks', '/healthz/x', '/queuesx', '/%zz', '/%00']) {
      expectProblem(await web.request(path), 404, 'Not Found')
      expectProblem(await web.post(path, '{}'), 404, 'Not Found')
      expectProblem(await web.request(path, { method: 'PROPFIND' }), 404, 'Not Found')
    }
  })

  it('redirects a browser from / to the console, and answers a program with 404', async () => {
    const { status, headers } = await web.request('/', { headers: { Accept: 'text/html,*/*' } })
    expect([status, headers.get('location')]).to.deep.equal([302, '/console'])
    expectProblem(await web.request('/'), 404, 'Not Found')
  })

  it('answers a browser with a page, except below /v1 and /webhooks, which return JSON', async () => {
    const browser = { headers: { Accept: 'text/html,*/*' } }
    const page = await web.request('/nothing', browser)
    expect([page.status, page.headers.get('content-type')]).to.deep.equal([404, 'text/html; charset=utf-8'])
    expect(page.text).to.include('Nothing was found at this path')
    expectProblem(await web.request('/v1/nothing', browser), 404, 'Not Found')
    expect((await web.request('/webhooks/x', browser)).body).to.deep.equal({
      success: false,
      error: 'URL is invalid',
    })
  })

  it('never redirects a request from http to https', async () => {
    const headers = { 'X-Forwarded-Proto': 'http', Accept: '*/*' }
    for (const path of [
      '/v1/lines',
      '/webhooks/lineId/x?token=y',
      '/oauth/access',
      '/healthz',
      '/console/sign-in',
    ]) {
      const { status, headers: answered } = await web.request(path, { headers, redirect: 'manual' })
      expect([status >= 300 && status < 400, answered.get('location')], path).to.deep.equal([false, null])
    }
  })

  it('answers an unsupported method with 405 and Allow', async () => {
    for (const [path, method, allow] of [
      ['/healthz', 'POST', ['HEAD', 'GET']],
      ['/readyz', 'DELETE', ['HEAD', 'GET']],
      ['/healthz', 'PROPFIND', ['HEAD', 'GET']],
      ['/simulator/inbound', 'GET', ['POST']],
      ['/simulator/outbox', 'PUT', ['HEAD', 'GET']],
    ] as const) {
      const answer = await web.request(path, { method })
      expectProblem(answer, 405, 'Method Not Allowed')
      expect(answer.headers.get('allow')?.split(', ')).to.have.members(allow)
    }
  })

  it('takes no path without a parameter for another with one', async () => {
    const routers = routersOf(createApp(context))
    const layers = routers.flatMap(({ stack }) => stack)
    const takes = (path: string) =>
      new Set(layers.filter((layer) => layer.path === path).flatMap(({ methods }) => methods))
    const pairs = layers.flatMap(({ path, paramNames }) => {
      if (typeof path !== 'string' || paramNames.length > 0) return []
      const hidden = layers.find((other) => other.paramNames.length > 0 && other.match(path))
      return hidden === undefined ? [] : [path]
    })
    expect(pairs).to.include.members(['/v1/messages/batch', '/console/carriers/new'])
    for (const path of new Set(pairs)) {
      const methods = takes(path)
      const method = ['PATCH', 'DELETE', 'PUT'].find((each) => !methods.has(each))
      const { status, headers } = await web.request(path, { method: method! })
      expect([status, headers.get('allow')?.split(', ').sort()], path).to.deep.equal([
        405,
        [...methods].sort(),
      ])
    }
  })

  it('tells the methods of a path to OPTIONS', async () => {
    const { status, headers } = await web.request(line.webhookPath, { method: 'OPTIONS' })
    expect([status, headers.get('allow')]).to.deep.equal([200, 'POST'])
  })

  it('answers HEAD as GET without the body', async () => {
    const { status, text, headers } = await web.request('/healthz', { method: 'HEAD' })
    expect([status, text, headers.get('content-length')]).to.deep.equal([200, '', '15'])
  })

  describe('sets on every answer', () => {
    const answers: [what: string, ask: () => Promise<Answer>][] = [
      ['200', () => web.post(line.webhookPath, messageBody())],
      ['400', () => web.post(line.webhookPath, '')],
      ['403', () => web.post(`/webhooks/line/${line.lineId}`, '')],
      ['404 of a webhook', () => web.post('/webhooks/line/x', '')],
      ['404', () => web.request('/nothing')],
      ['405', () => web.request(line.webhookPath)],
      ['413', () => web.post(line.webhookPath, 'x'.repeat(70_000))],
      ['health', () => web.request('/healthz')],
      ['401 of the dashboard', () => web.request('/queues')],
      [
        'the dashboard',
        () =>
          web.request('/queues', { headers: { Authorization: `Basic ${btoa('operator:a long password')}` } }),
      ],
    ]

    for (const [what, ask] of answers) {
      it(`no-store, no-referrer and nosniff (${what})`, async () => {
        const { headers } = await ask()
        expect({
          cache: headers.get('cache-control'),
          referrer: headers.get('referrer-policy'),
          sniff: headers.get('x-content-type-options'),
          frame: headers.get('x-frame-options'),
          server: headers.get('x-powered-by'),
        }).to.deep.equal({
          cache: 'no-store',
          referrer: 'no-referrer',
          sniff: 'nosniff',
          frame: 'DENY',
          server: null,
        })
        expect(headers.get('content-security-policy')).to.match(
          /^default-src '(none|self)'; .*frame-ancestors 'none'/,
        )
      })
    }
  })

  it('shows no stack, no path of a file and no package when it fails', async () => {
    await withWeb({}, async ({ context: broken, web: brokenWeb }) => {
      const { webhookPath, number } = await createLine(broken)
      await broken.db.raw('drop table carrier_message_ids; drop function queue_messages')
      const inbound = { fromNumber: '+15005550199', toNumber: number, text: 'Hi' }
      for (const answer of [
        await brokenWeb.post(webhookPath, messageBody()),
        await brokenWeb.post('/simulator/inbound', inbound),
      ]) {
        expect(answer.status).to.equal(500)
        expect(answer.text).not.to.match(
          / at |node_modules|\.ts|\.js|carrier_message_ids|queue_messages|knex/,
        )
        expect(Object.values(answer.body as object)).to.include('Internal error')
      }
    })
  })
})
