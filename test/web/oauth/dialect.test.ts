import { expect } from 'chai'
import { describeWith } from '../../helpers/suite.js'
import { waitedMs } from '../../helpers/waited.js'
import type { Answer } from '../../helpers/web/web.js'
import {
  asking,
  authorizePath,
  createApplication,
  decide,
  exchange as exchangeAt,
  expectOAuthError,
  getCode,
  partiesForAllTests,
  REDIRECT_URI,
  refresh,
  requestToken,
  serveOAuth,
  type Tokens,
} from './support.js'

/** What is read in the code of clients of the original service, and in that of libraries. */
describeWith('a client that', serveOAuth, (server) => {
  const { application, visitor } = partiesForAllTests(server)

  const asks = async (path: string) => decide(visitor, await visitor.follow(path))
  const exchange = async (
    options: Parameters<typeof requestToken>[3] = {},
    more: Record<string, string> = {},
  ) =>
    requestToken(
      server,
      application,
      { grant_type: 'authorization_code', code: await getCode(visitor, asking(application)), ...more },
      options,
    )
  const expectTokens = (answer: Answer): Tokens => {
    expect([answer.status, answer.headers.get('content-type')], answer.text).to.deep.equal([
      200,
      'application/json; charset=utf-8',
    ])
    expect(answer.headers.get('cache-control')).to.equal('no-store')
    return answer.body as Tokens
  }
  const without = (name: string) => {
    const parameters = asking(application)
    return Object.fromEntries(Object.entries(parameters).filter(([each]) => each !== name))
  }

  describe('authorizes', () => {
    const both = ['messages:write', 'messages:connect'].map(encodeURIComponent)
    const raw = (scope: string, more = '') =>
      `/oauth/authorize?client_id=${application.clientId}&redirect_uri=${encodeURIComponent(REDIRECT_URI)}&scope=${scope}${more}`

    it('without response_type gets a code', async () => {
      const back = await asks(authorizePath(without('response_type')))
      expect(back.searchParams.get('code')).to.be.a('string')
      expect(back.searchParams.get('state')).to.equal('a state')
    })

    for (const [name, scope] of [
      ['by comma', 'messages:write,messages:connect'],
      ['by comma, escaped', both.join('%2C')],
      ['by space, unescaped', 'messages:write messages:connect'],
      ['by space, escaped', both.join('%20')],
      ['by plus sign', both.join('+')],
      ['by comma and space', 'messages:write,%20messages:connect'],
      ['twice the same', 'messages:write,messages:write,messages:connect'],
    ] as const) {
      it(`sends scopes ${name} gets both`, async () => {
        const back = await asks(raw(scope))
        const answer = await exchangeAt(server, application, back.searchParams.get('code') ?? '')
        expect(expectTokens(answer).scope).to.equal('messages:write messages:connect')
      })
    }

    for (const [asked, granted] of [
      [
        'messages:connect lines:read lines:write contacts:read contacts:write media:read',
        'messages:connect lines:read lines:write contacts:read contacts:write',
      ],
      [
        'messages:connect,lines:read,lines:write,contacts:write',
        'messages:connect lines:read lines:write contacts:write',
      ],
      ['contacts:read openid messages:write toString', 'contacts:read messages:write'],
    ] as const) {
      it(`asks for ${asked} gets the known scopes, and is told which`, async () => {
        const back = await asks(raw(encodeURIComponent(asked)))
        const tokens = expectTokens(
          await exchangeAt(server, application, back.searchParams.get('code') ?? ''),
        )
        expect(tokens.scope).to.equal(granted)
        const next = await refresh(server, application, tokens.refresh_token, { scope: asked })
        expect(expectTokens(next).scope).to.equal(granted)
      })
    }

    it('asks for no known scope is redirected back with invalid_scope', async () => {
      for (const scope of ['media:read,media:write', 'lines:delete', 'MESSAGES:WRITE', '*', '']) {
        const { url } = await visitor.follow(raw(encodeURIComponent(scope), '&state=s'))
        expect(url.startsWith(`${REDIRECT_URI}?error=invalid_scope&`), url).to.be.true
        expect(new URL(url).searchParams.get('state')).to.equal('s')
      }
    })

    it('sends an empty state gets none back', async () => {
      expect((await asks(raw('messages:write', '&state='))).searchParams.has('state')).to.be.false
    })

    it('gives its state back to the letter', async () => {
      const state = 'a+b c/d?e=f&g%20ü"<>'
      const back = await asks(authorizePath(asking(application, { state })))
      expect(back.searchParams.get('state')).to.equal(state)
    })

    it('adds trailing and repeated slashes gets there', async () => {
      for (const path of ['/oauth/authorize/', '//oauth/authorize', '/oauth//authorize///']) {
        const back = await asks(authorizePath(asking(application), server.web.url + path))
        expect(back.searchParams.get('code'), path).to.be.a('string')
      }
    })

    it('sends parameters of other services and of OpenID Connect is not refused for them', async () => {
      const more = {
        access_type: 'offline',
        approval_prompt: 'force',
        prompt: 'none',
        nonce: 'x',
        max_age: '0',
        response_mode: 'form_post',
        resource: 'https://api.example/',
        claims: '{',
        request: 'x',
        registration: '{}',
        id_token_hint: 'x',
        dpop_jkt: 'x',
      }
      const back = await asks(authorizePath(asking(application, more)))
      expect(back.searchParams.get('code')).to.be.a('string')
    })
  })

  describe('exchanges its code', () => {
    for (const path of [
      '/oauth/access',
      '/oauth/token',
      '/v1/oauth/access',
      '/oauth/access/',
      '/oauth/token/',
      '//v1//oauth/access/',
    ]) {
      it(`at ${path} gets tokens`, async () => {
        expectTokens(await exchange({ path }))
      })
    }

    it('without redirect_uri gets tokens, also when it has registered several', async () => {
      expectTokens(await exchange())
      const several = await createApplication(server, {
        redirectUris: ['https://other.example/', REDIRECT_URI],
      })
      expectTokens(await exchangeAt(server, several, await getCode(visitor, asking(several))))
    })

    it('as JSON gets tokens, whatever it calls it', async () => {
      for (const type of ['application/json', 'application/json; charset=utf-8', 'text/plain', undefined]) {
        const code = await getCode(visitor, asking(application))
        const body = JSON.stringify({
          client_id: application.clientId,
          client_secret: application.clientSecret,
          grant_type: 'authorization_code',
          code,
        })
        expectTokens(
          await server.web.request('/oauth/access', {
            method: 'POST',
            headers: type === undefined ? {} : { 'Content-Type': type },
            body: new TextEncoder().encode(body),
          }),
        )
      }
    })

    const basic = (id: string, secret: string) => ({
      Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
    })
    const bare = (fields: Record<string, string>, headers: Record<string, string>) =>
      server.web.request('/oauth/access', { method: 'POST', headers, body: new URLSearchParams(fields) })

    it('with Basic alone, encoded or not, gets tokens', async () => {
      const { clientId, clientSecret } = application
      const encoded = (value: string) =>
        value.replace(/[-_]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)
      for (const headers of [
        basic(clientId, clientSecret),
        basic(encoded(clientId), encoded(clientSecret)),
      ]) {
        const code = await getCode(visitor, asking(application))
        expectTokens(await bare({ grant_type: 'authorization_code', code }, headers))
      }
    })

    it('with Basic and body gets tokens when they are equal', async () => {
      const { clientId, clientSecret } = application
      expectTokens(await exchange({ headers: basic(clientId, clientSecret) }))
      const refused = await exchange({ headers: basic(clientId, `${clientSecret}x`) })
      expectOAuthError(refused, 400, 'invalid_request')
      const other = await createApplication(server)
      expectOAuthError(
        await exchange({ headers: basic(other.clientId, clientSecret) }),
        400,
        'invalid_request',
      )
    })

    it('sends its old access token as Bearer gets tokens, because that is no client credential', async () => {
      expectTokens(await exchange({ headers: { Authorization: 'Bearer old' } }))
      for (const headers of [{ Authorization: 'Bearer old' }, basic('', ''), basic('', 'secret')]) {
        const nobody = await bare({ grant_type: 'refresh_token', refresh_token: 'x' }, headers)
        expectOAuthError(nobody, 401, 'invalid_client')
      }
    })

    it('with a client id and no secret in Basic may still send the secret in the body', async () => {
      expectTokens(await exchange({ headers: basic(application.clientId, '') }))
    })

    it('sends Accept: text/html still gets JSON', async () => {
      expectTokens(await exchange({ headers: { Accept: 'text/html' } }))
      const wrong = await exchange({ headers: { Accept: 'text/html' } }, { code: 'x' })
      expectOAuthError(wrong, 400, 'invalid_grant')
    })

    it('sends unknown fields, and resource, gets tokens', async () => {
      expectTokens(await exchange({}, { resource: 'https://api.example/', audience: 'x', device: 'y' }))
    })

    it('uses GET is told which method to use', async () => {
      const answer = await server.web.request('/oauth/access')
      expect([answer.status, answer.headers.get('allow')]).to.deep.equal([405, 'POST'])
    })

    it('sends invalid JSON gets a JSON error', async () => {
      for (const [body, status] of [
        ['', 401],
        ['{', 400],
        ['[]', 400],
        ['grant_type=authorization_code&grant_type=refresh_token', 401],
        ['x'.repeat(70_000), 413],
        ['{"grant_type":{"a":1},"client_id":["a","b"]}', 400],
        [
          `grant_type=password&client_id=${application.clientId}&client_secret=${application.clientSecret}`,
          400,
        ],
      ] as const) {
        const answer = await server.web.request('/oauth/access', {
          method: 'POST',
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body,
        })
        expect(answer.status, body.slice(0, 50)).to.equal(status)
        expect(answer.body).to.have.property('error').that.is.a('string')
      }
    })

    it('gives up after 2 s and requires a 200 gets its response in time', async () => {
      const code = await getCode(visitor, asking(application))
      let token = ''
      const forToken = await waitedMs(async () => {
        const response = await fetch(`${server.web.url}/oauth/access`, {
          method: 'POST',
          body: new URLSearchParams({
            grant_type: 'authorization_code',
            code,
            client_id: application.clientId,
            client_secret: application.clientSecret,
          }),
        })
        expect(response.status).to.equal(200)
        token = ((await response.json()) as Tokens).access_token
      })
      const toSend = await waitedMs(async () => {
        const { status } = await fetch(`${server.web.url}/v1/messages/`, {
          method: 'POST',
          headers: { Authorization: `bearer ${token}` },
          body: new URLSearchParams({ lineId: visitor.line.lineId, toNumber: '(500) 555-0188', text: 'Hi' }),
        })
        expect(status).to.equal(200)
      })
      expect(Math.max(forToken, toSend)).to.be.below(2000)
    })
  })
})
