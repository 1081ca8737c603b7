import { expect } from 'chai'
import ClientOAuth2 from 'client-oauth2'
import * as openid from 'openid-client'
import PassportStrategy from 'passport-oauth2'
import { AuthorizationCode } from 'simple-oauth2'
import { describeWith } from '../../helpers/suite.js'
import {
  call,
  createApplication,
  decide,
  partiesForAllTests,
  REDIRECT_URI,
  send,
  serveOAuth,
  type TestApplication,
} from './support.js'

/** Specification §4.3, "typical use", by libraries that people use, as their own pages say to. */
describeWith('the quick start works with', serveOAuth, (server) => {
  const { visitor } = partiesForAllTests(server)

  const authorize = async (url: string): Promise<URL> => decide(visitor, await visitor.follow(url))

  const expectItWorks = async (token: string, application: TestApplication) => {
    const { lineId } = visitor.line
    const answer = await send(server, token, { lineId, toNumber: '+15005550188', text: 'Hello' })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body).to.include({ status: 'queued', applicationId: application.id })
  }

  const expectItIsOver = async (token: string) => {
    expect((await call(server, token, '/v1/lines')).status).to.equal(401)
  }

  for (const [authorizationMethod, bodyFormat] of [
    ['header', 'form'],
    ['body', 'json'],
  ] as const) {
    it(`simple-oauth2 (secret in the ${authorizationMethod}, body as ${bodyFormat})`, async () => {
      const application = await createApplication(server)
      const client = new AuthorizationCode({
        client: { id: application.clientId, secret: application.clientSecret },
        auth: {
          tokenHost: server.web.url,
          authorizePath: '/oauth/authorize',
          tokenPath: '/oauth/access',
          revokePath: '/oauth/revoke',
        },
        options: { authorizationMethod, bodyFormat },
      })
      const back = await authorize(
        client.authorizeURL({
          redirect_uri: REDIRECT_URI,
          scope: ['messages:write', 'messages:connect'],
          state: 'x',
        }),
      )
      const code = back.searchParams.get('code') ?? ''
      const token = await client.getToken({ code, redirect_uri: REDIRECT_URI })
      await expectItWorks(String(token.token.access_token), application)
      const next = await token.refresh()
      await expectItWorks(String(next.token.access_token), application)
      await next.revokeAll()
      await expectItIsOver(String(next.token.access_token))
    })
  }

  it('client-oauth2', async () => {
    const application = await createApplication(server)
    const client = new ClientOAuth2({
      clientId: application.clientId,
      clientSecret: application.clientSecret,
      accessTokenUri: `${server.web.url}/oauth/access`,
      authorizationUri: `${server.web.url}/oauth/authorize`,
      redirectUri: REDIRECT_URI,
      scopes: ['messages:write', 'messages:connect'],
    })
    const back = await authorize(client.code.getUri({ state: 'x' }))
    const token = await client.code.getToken(back.href, { state: 'x' })
    await expectItWorks(token.accessToken, application)
    const next = await token.refresh()
    await expectItWorks(next.accessToken, application)
  })

  for (const [what, kind, registered, redirect_uri] of [
    ['confidential', 'confidential', REDIRECT_URI, REDIRECT_URI],
    ['public', 'public', REDIRECT_URI, REDIRECT_URI],
    ['native, on a port of its own', 'public', 'http://127.0.0.1/cb', 'http://127.0.0.1:49152/cb'],
  ] as const) {
    it(`openid-client (${what}, by the metadata, with PKCE and iss)`, async () => {
      const application = await createApplication(server, { kind, redirectUris: [registered] })
      const config = await openid.discovery(
        new URL(server.web.url),
        application.clientId,
        kind === 'public' ? undefined : application.clientSecret,
        kind === 'public' ? openid.None() : openid.ClientSecretBasic(application.clientSecret),
        { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
      )
      expect(config.serverMetadata().supportsPKCE()).to.be.true
      const verifier = openid.randomPKCECodeVerifier()
      const state = openid.randomState()
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri,
        scope: 'messages:write messages:connect',
        code_challenge: await openid.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        state,
      })
      const back = await authorize(url.href)
      const tokens = await openid.authorizationCodeGrant(config, back, {
        pkceCodeVerifier: verifier,
        expectedState: state,
      })
      await expectItWorks(tokens.access_token, application)
      const refreshToken = tokens.refresh_token ?? ''
      // As by two processes: each gets tokens that work.
      const [next, other] = await Promise.all([
        openid.refreshTokenGrant(config, refreshToken),
        openid.refreshTokenGrant(config, refreshToken),
      ])
      for (const { access_token: token } of [next, other]) await expectItWorks(token, application)
      expect(await openid.tokenIntrospection(config, next.access_token)).to.include({
        active: true,
        client_id: application.clientId,
        scope: 'messages:write messages:connect',
      })
      await openid.tokenRevocation(config, next.access_token)
      expect(await openid.tokenIntrospection(config, next.access_token)).to.deep.equal({ active: false })
      await expectItIsOver(next.access_token)
    })
  }

  it('openid-client, which looks for the metadata at the OpenID Connect path', async () => {
    const application = await createApplication(server)
    const config = await openid.discovery(
      new URL(server.web.url),
      application.clientId,
      application.clientSecret,
      openid.ClientSecretPost(application.clientSecret),
      { algorithm: 'oidc', execute: [openid.allowInsecureRequests] },
    )
    const url = openid.buildAuthorizationUrl(config, {
      redirect_uri: REDIRECT_URI,
      scope: 'messages:connect media:read',
    })
    const tokens = await openid.authorizationCodeGrant(config, await authorize(url.href))
    expect(tokens.scope).to.equal('messages:connect')
    await expectItWorks(tokens.access_token, application)
  })

  for (const pkce of [false, true]) {
    it(`passport-oauth2 (${pkce ? 'with' : 'without'} PKCE)`, async () => {
      const application = await createApplication(server)
      const session = {}
      const options = {
        authorizationURL: `${server.web.url}/oauth/authorize`,
        tokenURL: `${server.web.url}/oauth/access`,
        clientID: application.clientId,
        clientSecret: application.clientSecret,
        callbackURL: REDIRECT_URI,
        scope: ['messages:write', 'messages:connect'],
        scopeSeparator: ',',
        state: true,
        pkce,
      }
      const run = (query: Record<string, string>) =>
        new Promise<{ redirect?: string; token?: string }>((resolve, reject) => {
          const strategy = new PassportStrategy(
            options,
            (token: string, _refresh: string, _profile: unknown, done: PassportStrategy.VerifyCallback) => {
              done(null, { token })
            },
          )
          strategy.userProfile = (_token, done) => {
            done(null, {})
          }
          Object.assign(strategy, {
            redirect: (url: string) => {
              resolve({ redirect: url })
            },
            success: (user: { token: string }) => {
              resolve(user)
            },
            fail: (why: unknown) => {
              reject(new Error(JSON.stringify(why)))
            },
            error: reject,
          })
          strategy.authenticate({ query, session, headers: {} } as never, {})
        })
      const { redirect = '' } = await run({})
      const back = await authorize(redirect)
      const { token = '' } = await run(Object.fromEntries(back.searchParams))
      await expectItWorks(token, application)
    })
  }
})
