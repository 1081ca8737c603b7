import { expect } from 'chai'
import { serveDescribed } from '../openapi/described.js'
import { describeWith, openForSuite } from '../../helpers/suite.js'
import {
  asking,
  createApplication,
  createVisitor,
  getCode,
  requestToken,
  serveOAuth,
  type Tokens,
} from './support.js'

describeWith('the OpenAPI description and the responses of OAuth', serveOAuth, (server) => {
  const web = openForSuite(() => serveDescribed(server.context))

  it('agree', async () => {
    const described = { ...server, web }
    const application = await createApplication(server, { webhookUrl: 'http://127.0.0.1:9/' })
    const visitor = await createVisitor(server)
    for (const path of ['/oauth/access', '/oauth/token', '/v1/oauth/access']) {
      const code = await getCode(visitor, asking(application))
      const fields = { grant_type: 'authorization_code', code }
      const answer = await requestToken(described, application, fields, { path })
      expect(answer.status, answer.text).to.equal(200)
      await requestToken(described, application, fields, { path })
    }
    const code = await getCode(visitor, asking(application))
    const tokens = (await requestToken(described, application, { grant_type: 'authorization_code', code }))
      .body as Tokens
    const token = { token: tokens.access_token }
    const metadata = await web.request('/.well-known/oauth-authorization-server')
    const alias = await web.request('/.well-known/openid-configuration')
    expect(alias.body).to.deep.equal(metadata.body)
    const { pathname } = new URL((metadata.body as { jwks_uri: string }).jwks_uri)
    expect((await web.request(pathname)).body).to.deep.equal({ keys: [] })
    await web.request('/oauth/access', { method: 'POST' })
    await requestToken(described, application, token, { path: '/oauth/introspect' })
    await requestToken(described, application, {}, { path: '/oauth/introspect' })
    await requestToken(described, application, token, { path: '/oauth/revoke' })
    await requestToken(described, application, {}, { path: '/oauth/revoke' })
    await requestToken(described, application, token, { path: '/oauth/introspect' })
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
