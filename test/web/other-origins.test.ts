import { expect } from 'chai'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import { describeWith } from '../helpers/suite.js'
import type { Answer } from '../helpers/web/web.js'
import {
  asking,
  createApplication,
  createVisitor,
  getCode,
  pkce,
  serveOAuth,
  type Visitor,
} from './oauth/support.js'

const ORIGIN = 'https://page.example'

/** What browsers read of our answers before a page of another origin may (CORS). */
describeWith('a page of another origin', serveOAuth, (server) => {
  let visitor: Visitor
  let token: string

  before(async () => {
    visitor = await createVisitor(server)
    ;({ token } = await createApiToken(server.context, visitor.line.userId, 'a page'))
  })

  const ask = (path: string, init: RequestInit = {}) =>
    server.web.request(path, { ...init, headers: { Origin: ORIGIN, ...(init.headers as object) } })
  const preflight = (path: string, method = 'POST') =>
    ask(path, {
      method: 'OPTIONS',
      headers: {
        'Access-Control-Request-Method': method,
        'Access-Control-Request-Headers': 'authorization,content-type,idempotency-key',
      },
    })
  const allowed = ({ headers }: Answer) => headers.get('access-control-allow-origin')
  const expectAllowed = (answer: Answer, status: number) => {
    expect(answer.status, answer.text).to.equal(status)
    expect(allowed(answer)).to.be.oneOf(['*', ORIGIN])
    expect(answer.headers.get('vary')).to.match(/\bOrigin\b/i)
    expect(answer.headers.has('access-control-allow-credentials')).to.be.false
  }
  const expectClosed = (answer: Answer, what: string) => {
    const names = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))
    expect(names, what).to.deep.equal([])
  }

  it('may call /v1 with a token: the preflight allows it without one', async () => {
    for (const [path, method] of [
      ['/v1/lines', 'GET'],
      [`/v1/lines/${visitor.line.lineId}`, 'PUT'],
      ['/v1/messages', 'POST'],
      ['//v1//messages/', 'POST'],
      [`/v1/lines/${visitor.line.lineId}/connection`, 'DELETE'],
    ] as const) {
      const answer = await preflight(path, method)
      expectAllowed(answer, 204)
      expect(answer.headers.get('access-control-allow-methods')?.split(',')).to.include(method)
      expect(answer.headers.get('access-control-allow-headers')).to.equal(
        'authorization,content-type,idempotency-key',
      )
      expect(answer.headers.get('access-control-max-age')).to.equal('7200')
    }
  })

  it('can read responses, errors, and the headers it needs', async () => {
    const Authorization = `Bearer ${token}`
    const answer = await ask('/v1/messages?limit=1', { headers: { Authorization } })
    expectAllowed(answer, 200)
    const readable = answer.headers.get('access-control-expose-headers')?.split(',')
    expect(readable).to.have.members([
      'Link',
      'Message-Id',
      'RateLimit',
      'RateLimit-Policy',
      'Retry-After',
      'WWW-Authenticate',
    ])
    expectAllowed(await ask('/v1/lines'), 401)
    expectAllowed(await ask('/v1/messages?limit=0', { headers: { Authorization } }), 400)
    expectAllowed(await ask('/v1/nothing', { headers: { Authorization } }), 404)
    expectAllowed(await ask('/v1/lines', { method: 'DELETE', headers: { Authorization } }), 405)
    const large = { method: 'POST', headers: { Authorization }, body: 'x'.repeat(70_000) }
    expectAllowed(await ask('/v1/segments', large), 413)
  })

  it('gets no access from a cookie', async () => {
    const session = visitor.cookies.get('__Host-linehook')?.value ?? ''
    expect(session).to.have.length.above(20)
    expectAllowed(await ask('/v1/lines', { headers: { Cookie: `__Host-linehook=${session}` } }), 401)
  })

  it('reads the metadata, by both names', async () => {
    for (const name of ['oauth-authorization-server', 'openid-configuration']) {
      expectAllowed(await preflight(`/.well-known/${name}`, 'GET'), 204)
      expectAllowed(await ask(`/.well-known/${name}`), 200)
    }
  })

  it('exchanges a code, refreshes and revokes as a public application, from any origin', async () => {
    const application = await createApplication(server, { kind: 'public' })
    const { challenge, verifier } = pkce()
    const post = (path: string, fields: Record<string, string>) =>
      ask(path, {
        method: 'POST',
        body: new URLSearchParams({ client_id: application.clientId, ...fields }),
      })
    for (const path of [
      '/oauth/access',
      '/oauth/token',
      '/v1/oauth/access',
      '/oauth/revoke',
      '/oauth/introspect',
    ]) {
      expectAllowed(await preflight(path), 204)
    }
    const code = await getCode(visitor, asking(application, challenge))
    const fields = { grant_type: 'authorization_code', code, code_verifier: verifier }
    const answer = await post('/oauth/access', fields)
    expectAllowed(answer, 200)
    const { refresh_token = '' } = answer.body as Record<string, string>
    expectAllowed(await post('/oauth/token', { grant_type: 'refresh_token', refresh_token }), 200)
    expectAllowed(await post('/oauth/revoke', { token: refresh_token }), 200)
    expectAllowed(await post('/oauth/access', fields), 400)
    expectAllowed(await ask('/oauth/access', { method: 'POST' }), 401)
    expectAllowed(await ask('/oauth/access', { method: 'POST', body: '{' }), 400)
  })

  it('gets no access as a confidential application, whose secret belongs in no page', async () => {
    const application = await createApplication(server)
    const body = new URLSearchParams({
      client_id: application.clientId,
      client_secret: application.clientSecret,
      grant_type: 'refresh_token',
      refresh_token: 'x',
    })
    const answer = await ask('/oauth/access', { method: 'POST', body })
    expect(answer.status).to.equal(400)
    expect(allowed(answer)).to.equal(null)
  })

  it('has no say anywhere else', async () => {
    const paths = [
      '/console',
      '/console/sign-in',
      '/oauth/authorize',
      '/oauth/authorize/x',
      '/oauth/consent/x',
    ]
    const others = [
      '/',
      '/docs',
      '/queues',
      '/openapi.json',
      '/healthz',
      '/simulator/outbox',
      '/simulator/inbound',
    ]
    for (const path of [...paths, ...others, visitor.line.webhookPath, '/carriers/twilio/x/message']) {
      for (const method of ['GET', 'POST']) {
        expectClosed(await ask(path, { method }), `${method} ${path}`)
        expectClosed(await preflight(path, method), `preflight of ${method} ${path}`)
      }
    }
  })
})
