import { expect } from 'chai'
import { describeWith, openForSuite } from '../../helpers/suite.js'
import { serveDescribed } from '../openapi/described.js'
import {
  asking,
  authorizePath,
  decide,
  exchange,
  getCode,
  getTokens,
  partiesForAllTests,
  REDIRECT_URI,
  refresh,
  requestToken,
  serveOAuth,
  type Tokens,
} from './support.js'

describeWith('an application', serveOAuth, (server) => {
  const web = openForSuite(() => serveDescribed(server.context))
  const { application, visitor } = partiesForAllTests(server, {
    application: { webhookUrl: 'http://127.0.0.1:9/events' },
    line: { name: 'Shop' },
  })

  it('sends its user to the consent page, and gets them back with a code, the state and the issuer', async () => {
    const page = await visitor.follow(authorizePath(asking(application)))
    expect(new URL(page.url).pathname).to.match(/^\/oauth\/consent\/[\w-]+$/)
    expect(page.answer.text).to.include('Auto reply').and.include('Send messages').and.include('Shop')
    const back = await decide(visitor, page)
    expect(back.origin + back.pathname).to.equal('https://app.example/callback')
    expect(Object.fromEntries(back.searchParams)).to.deep.equal({
      code: back.searchParams.get('code'),
      state: 'a state',
      iss: server.context.config.publicUrl,
    })
  })

  it('exchanges the code for tokens and the lines that are connected', async () => {
    const tokens = await getTokens(server, visitor, application)
    expect(tokens).to.deep.equal({
      access_token: tokens.access_token,
      refresh_token: tokens.refresh_token,
      token_type: 'Bearer',
      expires_in: 90 * 24 * 60 * 60,
      scope: 'messages:write messages:connect',
      connected_lines: [
        {
          id: visitor.line.lineId,
          name: 'Shop',
          phoneNumber: visitor.line.number,
          status: 'active',
          outgoing_webhook_url: 'http://127.0.0.1:9/events',
        },
      ],
    })
    expect(tokens.access_token).to.match(/^[\w-]{43}$/)
  })

  it('refreshes its tokens, and gets a response of the same form', async () => {
    const first = await getTokens(server, visitor, application)
    const answer = await refresh(server, application, first.refresh_token)
    expect(answer.status, answer.text).to.equal(200)
    const second = answer.body as typeof first
    expect(Object.keys(second)).to.have.members(Object.keys(first))
    expect(second.connected_lines).to.deep.equal(first.connected_lines)
    expect(second.access_token).not.to.equal(first.access_token)
    expect(second.refresh_token).not.to.equal(first.refresh_token)
  })

  it('hears of a refusal', async () => {
    const back = await decide(visitor, await visitor.follow(authorizePath(asking(application))), {
      decision: 'cancel',
      lineIds: [],
    })
    expect(`${back.origin}${back.pathname}`).to.equal(REDIRECT_URI)
    const iss = server.context.config.publicUrl
    expect(Object.fromEntries(back.searchParams)).to.include({
      error: 'access_denied',
      state: 'a state',
      iss,
    })
    expect(back.searchParams.has('code')).to.be.false
  })

  it('gets the answers that the OpenAPI description has', async () => {
    const described = { ...server, web }
    for (const path of ['/oauth/access', '/oauth/token', '/v1/oauth/access']) {
      const code = await getCode(visitor, asking(application))
      const fields = { grant_type: 'authorization_code', code }
      const answer = await requestToken(described, application, fields, { path })
      expect(answer.status, answer.text).to.equal(200)
      await requestToken(described, application, fields, { path })
    }
    const code = await getCode(visitor, asking(application))
    const { access_token: token } = (await exchange(described, application, code)).body as Tokens
    const metadata = await web.request('/.well-known/oauth-authorization-server')
    const alias = await web.request('/.well-known/openid-configuration')
    expect(alias.body).to.deep.equal(metadata.body)
    const { pathname } = new URL((metadata.body as { jwks_uri: string }).jwks_uri)
    expect((await web.request(pathname)).body).to.deep.equal({ keys: [] })
    await web.request('/oauth/access', { method: 'POST' })
    const bodies: Record<string, string>[] = [{ token }, {}]
    for (const path of ['/oauth/introspect', '/oauth/revoke', '/oauth/introspect'])
      for (const fields of bodies) await requestToken(described, application, fields, { path })
    expect([...web.seen]).to.have.members([
      'getToken 200',
      'getToken 400',
      'getTokenByItsUsualPath 200',
      'getTokenByItsUsualPath 400',
      'getTokenByItsLongPath 200',
      'getTokenByItsLongPath 400',
      'getToken 401',
      'getAuthorizationServer 200',
      'getAuthorizationServerByItsOtherName 200',
      'getKeys 200',
      'introspectToken 200',
      'introspectToken 400',
      'revokeToken 200',
      'revokeToken 400',
    ])
  })
})
