import { expect } from 'chai'
import { describeWith } from '../../helpers/suite.js'
import {
  asking,
  authorizePath,
  getTokens,
  partiesForAllTests,
  pkce,
  requestToken,
  serveOAuth,
} from './support.js'

const HOSTILE = [
  '\0',
  'a\0b',
  '\ud800',
  '%',
  '%00',
  '%ff%fe',
  '../../etc/passwd',
  "'; drop table oauth_records; --",
  '{"$gt":""}',
  '__proto__',
  'constructor',
  '\r\nSet-Cookie: a=b',
  'x'.repeat(8000),
  '\u202e𝕏',
  '-1',
  'null',
  ' ',
  ',,, ,',
]

/** No input makes anything but an answer. */
describeWith('OAuth, whatever is sent,', serveOAuth, (server) => {
  const { application, visitor } = partiesForAllTests(server)

  const clearPace = () => server.context.windows.clear(['oauth:{127.0.0.1}'])
  beforeEach(clearPace)

  it('handles every parameter of an authorization, and redirects nobody elsewhere', async () => {
    const names = Object.keys({ ...asking(application), ...pkce().challenge, line_id: '', __proto: '' })
    for (const name of names) {
      for (const value of HOSTILE) {
        const { url, hops } = await visitor.follow(authorizePath(asking(application, { [name]: value })))
        const statuses = hops.map(({ status }) => status)
        expect(Math.max(...statuses), `${name}=${JSON.stringify(value.slice(0, 30))}`).to.be.below(500)
        expect(new URL(url, server.web.url).origin).to.be.oneOf([server.web.url, 'https://app.example'])
        expect(hops.flatMap(({ headers }) => headers.getSetCookie()).join()).not.to.include('a=b')
      }
    }
  })

  it('handles every field of a token request, as form and as JSON', async () => {
    const fields = [
      'grant_type',
      'code',
      'redirect_uri',
      'code_verifier',
      'client_id',
      'client_secret',
      'refresh_token',
      'scope',
      'token',
    ]
    const tokens = await getTokens(server, visitor, application)
    for (const name of fields) {
      await clearPace()
      for (const value of HOSTILE) {
        const sent = {
          grant_type: 'refresh_token',
          refresh_token: tokens.refresh_token,
          scope: 'lines:read',
          [name]: value,
        }
        for (const path of name === 'token' ? ['/oauth/revoke', '/oauth/introspect'] : ['/oauth/access']) {
          const form = await requestToken(server, application, sent, { path })
          expect(form.status, `${name}=${JSON.stringify(value.slice(0, 30))}`).to.be.oneOf([200, 400, 401])
          expect(form.body).to.be.an('object')
        }
        const json = await server.web.request('/oauth/access', { method: 'POST', body: JSON.stringify(sent) })
        expect(json.status).to.be.oneOf([400, 401])
      }
    }
  })

  it('handles every Authorization header', async () => {
    for (const value of [
      'Basic',
      'Basic !!',
      'Basic Og==',
      'Basic YTpi',
      'Bearer x',
      'Basic JTpi',
      'x'.repeat(4000),
    ]) {
      const answer = await server.web.request('/oauth/access', {
        method: 'POST',
        headers: { Authorization: value },
        body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'x' }),
      })
      expect(answer.status, value.slice(0, 20)).to.be.oneOf([400, 401])
      expect(answer.body).to.have.property('error')
    }
  })
})
