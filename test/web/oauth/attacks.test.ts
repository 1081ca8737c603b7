import { expect } from 'chai'
import type { Knex } from 'knex'
import { newId } from '../../../src/ids.js'
import { newToken, sha256 } from '../../../src/secrets.js'
import { openHolder } from '../../database/hold.js'
import { countWaitingForLocks } from '../../domain/fixtures.js'
import { describeWith } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import { serveApp, type Answer } from '../../helpers/web/web.js'
import {
  asking,
  authorizePath,
  call,
  consentFields,
  createApplication,
  createVisitor,
  decide,
  expectOAuthError,
  getCode,
  exchange as exchangeAt,
  getTokens,
  partiesForAllTests,
  pkce,
  REDIRECT_URI,
  refresh as refreshAt,
  revoke,
  serveOAuth,
  visit,
  type Tokens,
} from './support.js'

/** RFC 9700's attacks. */
describeWith('OAuth withstands', serveOAuth, (server) => {
  const { application, visitor } = partiesForAllTests(server)

  const works = async (token: string) => (await call(server, token, '/v1/lines')).status === 200
  const exchange = (code: string, more: Record<string, string> = {}, by = application) =>
    exchangeAt(server, by, code, more)
  const refresh = (token: string, by = application) => refreshAt(server, by, token)

  /** Uses that get none are refused, or are asked to wait until it is known what comes of another. */
  const tokensOf = (answers: Answer[]): Tokens[] => {
    for (const { status, headers, text } of answers) {
      expect(status, text).to.be.oneOf([200, 400, 503])
      if (status === 503) expect(Number(headers.get('retry-after')), text).to.be.within(1, 15)
    }
    return answers.filter(({ status }) => status === 200).map(({ body }) => body as Tokens)
  }

  /** Of an address that is not the application's nobody is sent anywhere. */
  const expectNoRedirect = async (path: string) => {
    const { answer, hops } = await visitor.follow(path)
    expect([hops.length, answer.status, answer.headers.get('location')], path).to.deep.equal([1, 400, null])
    return answer
  }

  describe('redirect_uri variations (§4.1):', () => {
    for (const uri of [
      'https://app.example/callback/',
      'https://app.example/Callback',
      'https://app.example/callback?x=1',
      'https://app.example/callback#x',
      'https://app.example/callback/../evil',
      'https://app.example/%63allback',
      'https://app.example:443/callback',
      'https://app.example.evil.example/callback',
      'https://app.example@evil.example/callback',
      'https://evil.example/https://app.example/callback',
      'http://app.example/callback',
      'https://APP.example/callback',
      'https://evil.example/',
      'javascript:alert(1)',
      '//evil.example',
      'nonsense',
    ]) {
      it(`${uri} gets a page instead of a redirect`, async () => {
        const { text } = await expectNoRedirect(authorizePath(asking(application, { redirect_uri: uri })))
        expect(text).to.include('redirect_uri').and.not.to.include('evil.example')
      })
    }

    it('of a loopback address only the port may differ (RFC 8252 §7.3), up to the exchange', async () => {
      for (const [registered, others] of [
        ['http://127.0.0.1:4000/cb', ['http://127.0.0.1:51004/cb', 'http://127.0.0.1/cb']],
        ['http://[::1]/cb?a=b', ['http://[::1]:51004/cb?a=b']],
        ['http://localhost:4000', ['http://localhost:51004', 'http://localhost']],
      ] as const) {
        const native = await createApplication(server, { kind: 'public', redirectUris: [registered] })
        for (const redirect_uri of [registered, ...others]) {
          const { challenge, verifier } = pkce()
          const page = await visitor.follow(authorizePath(asking(native, { redirect_uri, ...challenge })))
          expect(page.answer.status, redirect_uri).to.equal(200)
          const back = await decide(visitor, page)
          expect(back.href.startsWith(new URL(redirect_uri).href.split('?')[0] ?? ''), back.href).to.be.true
          const code = back.searchParams.get('code') ?? ''
          const answer = await exchange(code, { redirect_uri, code_verifier: verifier }, native)
          expect(answer.status, answer.text).to.equal(200)
        }
      }
    })

    it('only the port may differ, and only for a loopback address', async () => {
      const redirectUris = [
        'http://127.0.0.1:4000/cb',
        'https://localhost:4000/cb',
        'https://app.example:8443/cb',
      ]
      const native = await createApplication(server, { kind: 'public', redirectUris })
      for (const redirect_uri of [
        'http://127.0.0.1:51004/cb/',
        'http://127.0.0.1:51004/cb?x=1',
        'http://127.0.0.1:51004',
        'http://127.0.0.1:51004/CB',
        'http://127.0.0.1:99999/cb',
        'http://127.0.0.1:4000@evil.example/cb',
        'http://127.0.0.1:51004@evil.example/cb',
        'http://127.0.0.1.evil.example:4000/cb',
        'http://127.0.0.2:4000/cb',
        'http://localhost:4000/cb',
        'http://[::1]:4000/cb',
        'HTTP://127.0.0.1:51004/cb',
        'http://127.1:4000/cb',
        'http://127.0.0.1:51004/cb#x',
        'https://127.0.0.1:51004/cb',
        'https://localhost:51004/cb',
        'https://app.example:51004/cb',
      ]) {
        await expectNoRedirect(authorizePath(asking(native, { redirect_uri, ...pkce().challenge })))
      }
    })

    it('an error does not redirect either, whatever else is wrong', async () => {
      for (const more of ['scope=x', 'response_type=token', 'code_challenge=x', 'state=']) {
        const wrong = Object.fromEntries(new URLSearchParams(`redirect_uri=https://evil.example/&${more}`))
        await expectNoRedirect(authorizePath(asking(application, wrong)))
      }
    })

    it('the exchange refuses a redirect_uri that differs, even only in its port', async () => {
      const code = await getCode(visitor, asking(application))
      expectOAuthError(await exchange(code, { redirect_uri: `${REDIRECT_URI}/` }), 400, 'invalid_grant')
      const registered = 'http://127.0.0.1:4000/cb'
      const native = await createApplication(server, { redirectUris: [registered] })
      const other = await getCode(visitor, asking(native, { redirect_uri: 'http://127.0.0.1:51004/cb' }))
      expectOAuthError(await exchange(other, { redirect_uri: registered }, native), 400, 'invalid_grant')
    })
  })

  describe('open redirection (§4.11):', () => {
    it('an unknown client gets a page', async () => {
      for (const client_id of [newId(), 'x', "'", '']) {
        await expectNoRedirect(authorizePath({ ...asking(application), client_id }))
      }
    })

    it('a repeated parameter never determines the redirect address', async () => {
      const twice = `${authorizePath(asking(application))}&redirect_uri=${encodeURIComponent('https://evil.example/')}`
      const { url } = await visitor.follow(twice)
      expect(url.startsWith(`${REDIRECT_URI}?error=invalid_request&`), url).to.be.true
      const several = await createApplication(server, { redirectUris: [REDIRECT_URI, `${REDIRECT_URI}/2`] })
      await expectNoRedirect(
        `${authorizePath(asking(several))}&redirect_uri=${encodeURIComponent(`${REDIRECT_URI}/2`)}`,
      )
    })

    it('a program gets JSON', async () => {
      const answer = await server.web.request(authorizePath({ client_id: newId() }))
      expectOAuthError(answer, 400, 'invalid_client')
    })
  })

  describe('code reuse and injection (§4.5):', () => {
    it('a second use is refused, and revokes the tokens from the first', async () => {
      const code = await getCode(visitor, asking(application))
      const tokens = (await exchange(code)).body as Tokens
      expect(await works(tokens.access_token)).to.be.true
      expectOAuthError(await exchange(code), 400, 'invalid_grant')
      expect(await works(tokens.access_token)).to.be.false
      expectOAuthError(await refresh(tokens.refresh_token), 400, 'invalid_grant')
    })

    it('of many simultaneous uses, at most one gets tokens, and a repeat revokes them', async () => {
      const code = await getCode(visitor, asking(application))
      const answers = await Promise.all(Array.from({ length: 8 }, () => exchange(code)))
      expect(tokensOf(answers)).to.have.length.below(2)
      expectOAuthError(await exchange(code), 400, 'invalid_grant')
      for (const { access_token: token } of tokensOf(answers)) expect(await works(token)).to.be.false
    })

    /** Somebody else holds the code while both have found it unused. */
    const atTheSameMoment = async (
      codes: string[],
      meanwhile: (trx: Knex.Transaction) => Promise<unknown> = () => Promise.resolve(),
    ) => {
      const { db } = server.context
      const trx = await openHolder(db)
      await trx.raw(`select from oauth_records where kind = 'AuthorizationCode' for update`)
      const answers = Promise.all(codes.map((code) => exchange(code)))
      await until('all wait to use it up', async () => (await countWaitingForLocks({ db })) === codes.length)
        .then(() => meanwhile(trx))
        .then(
          () => trx.commit(),
          (error: unknown) => trx.rollback(error),
        )
      return answers
    }

    it('of two uses that both found it unused, one gets tokens', async () => {
      const code = await getCode(visitor, asking(application))
      const answers = await atTheSameMoment([code, code])
      expect(tokensOf(answers)).to.have.length(1)
    })

    it('a use that found it unused revokes the tokens that have come of another', async () => {
      const code = await getCode(visitor, asking(application))
      const accessToken = newToken()
      const [answer] = await atTheSameMoment([code], (trx) =>
        trx.raw(
          `with used as (
             update oauth_records set consumed_at = now() where kind = 'AuthorizationCode' and id_hash = :code returning *
           )
           insert into oauth_records (kind, id_hash, grant_hash, application_id, user_id, payload, expires_at)
           select made.kind, made.id_hash, grant_hash, application_id, user_id, '{"scope":"lines:read"}', now() + interval '1 day'
           from used, (values ('AccessToken', :accessToken::bytea), ('RefreshToken', '')) made (kind, id_hash)`,
          { code: sha256(code), accessToken: sha256(accessToken) },
        ),
      )
      expectOAuthError(answer!, 400, 'invalid_grant')
      expect(await works(accessToken)).to.be.false
    })

    it("another client's code is refused", async () => {
      const other = await createApplication(server)
      const code = await getCode(visitor, asking(application))
      expectOAuthError(await exchange(code, {}, other), 400, 'invalid_grant')
    })

    it('a code is refused after a minute', async () => {
      const code = await getCode(visitor, asking(application))
      await server.context.db.raw(
        `update oauth_records set payload = payload || jsonb_build_object('exp', (payload ->> 'exp')::int - 61)
         where kind = 'AuthorizationCode'`,
      )
      expectOAuthError(await exchange(code), 400, 'invalid_grant')
    })

    it('the database contains neither codes nor tokens', async () => {
      const code = await getCode(visitor, asking(application))
      const kept = async () => {
        const { rows } = await server.context.db.raw<{ rows: { row: string }[] }>(
          'select oauth_records::text as row from oauth_records',
        )
        return rows.map(({ row }) => row).join('\n')
      }
      expect(await kept()).not.to.include(code)
      const { access_token, refresh_token } = (await exchange(code)).body as Tokens
      for (const token of [access_token, refresh_token]) expect(await kept()).not.to.include(token)
      const page = await visitor.follow(authorizePath(asking(application)))
      const uid = new URL(page.url).pathname.split('/').pop() ?? ''
      expect(uid).to.have.length.above(20)
      expect(await kept()).not.to.include(uid)
    })
  })

  describe('PKCE downgrade (§4.8):', () => {
    it('a code requested with a challenge needs its verifier', async () => {
      const { challenge, verifier } = pkce()
      const ask = () => getCode(visitor, asking(application, challenge))
      expectOAuthError(await exchange(await ask()), 400, 'invalid_grant')
      expectOAuthError(await exchange(await ask(), { code_verifier: pkce().verifier }), 400, 'invalid_grant')
      expect((await exchange(await ask(), { code_verifier: verifier })).status).to.equal(200)
    })

    it('a code requested without a challenge accepts no verifier', async () => {
      const code = await getCode(visitor, asking(application))
      expectOAuthError(await exchange(code, { code_verifier: pkce().verifier }), 400, 'invalid_grant')
    })

    it("with a public client's token a user learns nothing of its developer's webhook, and acts for no other", async () => {
      const webhookUrl = 'http://127.0.0.1:9/hooks?key=a-secret'
      const open = await createApplication(server, { kind: 'public', webhookUrl })
      const { verifier, challenge } = pkce()
      const code = await getCode(visitor, asking(open, challenge))
      const tokens = (await exchange(code, { code_verifier: verifier }, open)).body as Tokens
      expect(tokens.connected_lines.map((each) => each.outgoing_webhook_url)).to.deep.equal([
        'http://127.0.0.1:9',
      ])
      const { endpointId } = open.application
      for (const [method, path] of [
        ['GET', ''],
        ['GET', `/${endpointId}`],
        ['POST', `/${endpointId}/test-event`],
        ['POST', `/${endpointId}/send-held-events`],
        ['POST', `/${endpointId}/try-now`],
      ] as const) {
        const { access_token: token } = tokens
        const answer = await call(server, token, `/v1/endpoints${path}`, { method })
        expect([answer.status, answer.text.includes('a-secret')], path).to.deep.equal([403, false])
      }
      const replay = {
        method: 'POST',
        body: JSON.stringify({ from: '2026-01-01T00:00:00Z', lineId: visitor.line.lineId }),
      }
      const counted = await call(
        server,
        tokens.access_token,
        `/v1/endpoints/${endpointId}/replay/preview`,
        replay,
      )
      expect(counted.body, counted.text).to.deep.equal({ count: 0, isMore: false })
    })

    it('a public client must send a challenge, and only S256 counts', async () => {
      const open = await createApplication(server, { kind: 'public' })
      const { code_challenge = '' } = pkce().challenge
      for (const more of [
        {},
        { code_challenge },
        { code_challenge, code_challenge_method: 'plain' },
        { code_challenge: 'short', code_challenge_method: 'S256' },
      ]) {
        const { url } = await visitor.follow(authorizePath(asking(open, more as Record<string, string>)))
        expect(new URL(url).searchParams.get('error'), JSON.stringify(more)).to.equal('invalid_request')
        expect(url.startsWith(REDIRECT_URI)).to.be.true
      }
    })

    it('a public client needs no secret, and has none', async () => {
      const open = await createApplication(server, { kind: 'public' })
      const { challenge, verifier } = pkce()
      const ask = async () => ({
        code: await getCode(visitor, asking(open, challenge)),
        code_verifier: verifier,
      })
      const { code, ...more } = await ask()
      expect((await exchange(code, more, open)).status).to.equal(200)
      const again = await ask()
      const withSecret = { client_secret: 'kept as a hash', code_verifier: verifier }
      expectOAuthError(await exchange(again.code, withSecret, open), 401, 'invalid_client')
    })
  })

  describe('a stolen client id:', () => {
    for (const [name, secret] of [
      ['no secret', ''],
      ['a wrong secret', newToken()],
      ['the placeholder of the secret', 'kept as a hash'],
    ] as const) {
      it(`${name} gives nothing`, async () => {
        const code = await getCode(visitor, asking(application))
        const answer = await exchange(code, {}, { ...application, clientSecret: secret })
        expectOAuthError(answer, 401, 'invalid_client')
      })
    }

    it('no client id either is invalid_client, with WWW-Authenticate', async () => {
      for (const path of ['/oauth/access', '/oauth/token', '/oauth/revoke', '/oauth/introspect']) {
        for (const fields of [
          'grant_type=refresh_token&refresh_token=x&token=x',
          'client_secret=x&token=x',
          '',
        ]) {
          const answer = await server.web.request(path, { method: 'POST', body: new URLSearchParams(fields) })
          expectOAuthError(answer, 401, 'invalid_client')
          expect(answer.headers.get('www-authenticate')).to.equal('Basic realm="Linehook"')
        }
      }
    })

    it('with Basic, the refusal has WWW-Authenticate', async () => {
      const answer = await server.web.request('/oauth/access', {
        method: 'POST',
        headers: { Authorization: `Basic ${Buffer.from(`${application.clientId}:x`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'authorization_code', code: 'x' }),
      })
      expectOAuthError(answer, 401, 'invalid_client')
      expect(answer.headers.get('www-authenticate')).to.match(/^Basic /)
    })
  })

  describe('refresh token reuse (§4.14):', () => {
    const pass = (seconds: number) =>
      server.context
        .db('oauth_records')
        .where({ kind: 'RefreshToken' })
        .whereNotNull('consumed_at')
        .update({ consumed_at: server.context.db.raw('consumed_at - make_interval(secs => ?)', [seconds]) })
    const given = async (answer: Promise<Answer>): Promise<Tokens> => {
      const { status, text, body } = await answer
      expect(status, text).to.equal(200)
      return body as Tokens
    }

    it('a second use after half a minute ends the whole family', async () => {
      const first = await getTokens(server, visitor, application)
      const second = await given(refresh(first.refresh_token))
      const third = await given(refresh(second.refresh_token))
      expect(await works(third.access_token)).to.be.true
      await pass(31)
      expectOAuthError(await refresh(first.refresh_token), 400, 'invalid_grant')
      for (const { access_token: token } of [first, second, third]) expect(await works(token)).to.be.false
      expectOAuthError(await refresh(third.refresh_token), 400, 'invalid_grant')
    })

    it('it works once more within 30 s, in case a response was lost; a third use ends the family', async () => {
      const first = await getTokens(server, visitor, application)
      const lost = await given(refresh(first.refresh_token))
      await pass(10)
      const second = await given(refresh(first.refresh_token))
      for (const { access_token: token } of [lost, second]) expect(await works(token)).to.be.true
      const third = await given(refresh(second.refresh_token))
      expect(await works(third.access_token)).to.be.true
      expectOAuthError(await refresh(first.refresh_token), 400, 'invalid_grant')
      for (const { access_token: token } of [lost, second, third]) expect(await works(token)).to.be.false
    })

    it('refresh tokens end with their grant, a year after the last one was issued', async () => {
      const { db } = server.context
      const ends = (kind: string) =>
        db('oauth_records')
          .where({ kind })
          .orderBy('created_at', 'desc')
          .first<{ days: number; seconds: number }>([
            db.raw(`round(extract(epoch from expires_at - now()) / 86400)::integer as days`),
            db.raw(`extract(epoch from expires_at)::float8 as seconds`),
          ])
      const expirySeconds = async () =>
        (
          await db('oauth_records')
            .where({ kind: 'Grant' })
            .orderBy('created_at', 'desc')
            .first<{ exp: number }>(db.raw(`(payload ->> 'exp')::float8 as exp`))
        ).exp

      const first = await getTokens(server, visitor, application)
      const age = (days: number) =>
        db('oauth_records').update({
          expires_at: db.raw(`expires_at - make_interval(days => ?)`, [days]),
          payload: db.raw(
            `case when payload -> 'exp' is not null then jsonb_set(payload, '{exp}', to_jsonb((payload ->> 'exp')::bigint - ?::bigint)) else payload end`,
            [days * 86_400],
          ),
        })
      await age(300)
      const second = await given(refresh(first.refresh_token))
      const [grant, token] = [await ends('Grant'), await ends('RefreshToken')]
      expect([grant.days, token.days]).to.deep.equal([365, 365])
      expect(grant.seconds).to.be.closeTo(token.seconds, 2)
      expect(await expirySeconds()).to.be.closeTo(grant.seconds, 2)

      await age(366)
      expectOAuthError(await refresh(second.refresh_token), 400, 'invalid_grant')
    })

    it('two processes that refresh at the same moment both get working tokens', async () => {
      const { refresh_token } = await getTokens(server, visitor, application)
      const other = await serveApp(server.context)
      try {
        const pairs = await Promise.all([
          given(refresh(refresh_token)),
          given(refreshAt({ ...server, web: other }, application, refresh_token)),
        ])
        expect(new Set(pairs.map((pair) => pair.refresh_token)).size).to.equal(2)
        for (const pair of pairs) {
          expect(await works(pair.access_token)).to.be.true
          expect(await works((await given(refresh(pair.refresh_token))).access_token)).to.be.true
        }
        await pass(31)
        expectOAuthError(await refresh(refresh_token), 400, 'invalid_grant')
        for (const pair of pairs) expect(await works(pair.access_token)).to.be.false
      } finally {
        await other.close()
      }
    })

    it('of many simultaneous uses, at most two get tokens, and a repeat revokes them', async () => {
      const { refresh_token } = await getTokens(server, visitor, application)
      const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => refresh(refresh_token)))
      expect(tokensOf(answers)).to.have.length.below(3)
      expectOAuthError(await refresh(refresh_token), 400, 'invalid_grant')
      for (const { access_token: token } of tokensOf(answers)) expect(await works(token)).to.be.false
    })

    it('one that was revoked has no half minute', async () => {
      const { refresh_token } = await getTokens(server, visitor, application)
      await given(refresh(refresh_token))
      await revoke(server, application, refresh_token)
      expectOAuthError(await refresh(refresh_token), 400, 'invalid_grant')
    })

    it("another client's refresh token is refused, and lives on", async () => {
      const tokens = await getTokens(server, visitor, application)
      const other = await createApplication(server)
      expectOAuthError(await refresh(tokens.refresh_token, other), 400, 'invalid_grant')
      expect((await refresh(tokens.refresh_token)).status).to.equal(200)
    })

    it('it never gives more than was granted', async () => {
      const tokens = await getTokens(server, visitor, application, { scope: 'messages:write' })
      const more = await refreshAt(server, application, tokens.refresh_token, { scope: 'lines:read' })
      expectOAuthError(more, 400, 'invalid_scope')
    })
  })

  it('mix-up (§4.4): every response names its issuer', async () => {
    const { publicUrl } = server.context.config
    const code = await decide(visitor, await visitor.follow(authorizePath(asking(application))))
    const refused = await visitor.follow(authorizePath(asking(application, { scope: 'x' })))
    expect(code.searchParams.get('iss')).to.equal(publicUrl)
    expect(new URL(refused.url).searchParams.get('iss')).to.equal(publicUrl)
    const { body } = await server.web.request('/.well-known/oauth-authorization-server', {
      headers: { Host: 'evil.example' },
    })
    expect(body).to.include({
      issuer: publicUrl,
      authorization_endpoint: `${publicUrl}/oauth/authorize`,
      token_endpoint: `${publicUrl}/oauth/access`,
      authorization_response_iss_parameter_supported: true,
    })
  })

  describe('consent (§4.7, §4.16):', () => {
    const open = () => visitor.follow(authorizePath(asking(application)))
    const fields = () => [
      ['lineId', visitor.line.lineId],
      ['decision', 'authorize'],
    ]

    it('a form without the token, or from another site, is refused', async () => {
      const page = await open()
      const good = consentFields(page.answer, fields())
      const bare = new URLSearchParams(fields())
      expect((await visitor.post(page.url, bare)).status).to.equal(403)
      const cross = await visitor.post(page.url, good, { 'Sec-Fetch-Site': 'cross-site' })
      expect(cross.status).to.equal(403)
      expect((await visitor.post(page.url, good)).status).to.equal(303)
    })

    it('no page may frame it, and its form leads to us and to the application only', async () => {
      const { answer } = await open()
      const policy = answer.headers.get('content-security-policy')
      expect(policy).to.include("frame-ancestors 'none'").and.include("default-src 'none'")
      expect(policy).to.match(/form-action 'self' https:\/\/app\.example;/)
      expect(answer.headers.get('x-frame-options')).to.equal('DENY')
      const elsewhere = await visitor.get('/console/settings')
      expect(elsewhere.headers.get('content-security-policy')).to.match(/form-action 'self';/)
    })

    it("a link to another user's authorization does not work", async () => {
      const page = await open()
      const victim = await createVisitor(server)
      expect((await victim.get(new URL(page.url).pathname)).status).to.equal(400)
      const own = await victim.follow(authorizePath(asking(application)))
      const posted = await victim.post(
        page.url,
        consentFields(own.answer, [
          ['lineId', victim.line.lineId],
          ['decision', 'authorize'],
        ]),
      )
      expect(posted.status).to.equal(400)
    })

    it("neither does it for a program that sends its own authorization's cookie everywhere", async () => {
      const page = await open()
      const program = await createVisitor(server)
      const own = await program.follow(authorizePath(asking(application)))
      for (const cookie of program.cookies.values()) cookie.path = '/'
      expect((await program.get(new URL(own.url).pathname)).status).to.equal(200)
      expect((await program.get(new URL(page.url).pathname)).status).to.equal(400)
    })

    it('a user who is not signed in signs in first, and returns to it', async () => {
      const nobody = visit(server, visitor.line)
      const { url } = await nobody.follow(authorizePath(asking(application)))
      const { pathname, searchParams } = new URL(url)
      expect(pathname).to.equal('/console/sign-in')
      expect(searchParams.get('next')).to.match(/^\/oauth\/consent\/[\w-]+$/)
      const session = visitor.cookies.get('__Host-linehook')
      if (session !== undefined) nobody.cookies.set('__Host-linehook', session)
      const page = await nobody.follow(url)
      expect(page.answer.text).to.include('Auto reply')
      expect((await decide(nobody, page)).searchParams.has('code')).to.be.true
    })

    it('every authorization asks for consent again', async () => {
      await decide(visitor, await open())
      expect((await open()).answer.text).to.include('Authorize</button>')
    })

    it('a decision counts once', async () => {
      const page = await open()
      await decide(visitor, page)
      expect((await visitor.post(page.url, consentFields(page.answer, fields()))).status).to.equal(400)
    })

    it('an application’s name cannot inject markup into the page', async () => {
      const evil = await createApplication(server, {
        name: '<img src=x>',
        description: '"><script>1</script>',
      })
      const { answer } = await visitor.follow(authorizePath(asking(evil)))
      expect(answer.text)
        .to.include('&lt;img')
        .and.not.to.include('<img src=x')
        .and.not.to.include('<script>1')
    })
  })

  describe('values in the query (§4.3.2)', () => {
    it('credentials and codes in it are not accepted', async () => {
      const { clientId, clientSecret } = application
      const query = new URLSearchParams({
        grant_type: 'authorization_code',
        code: await getCode(visitor, asking(application)),
        client_id: clientId,
        client_secret: clientSecret,
      })
      expectOAuthError(
        await server.web.request(`/oauth/access?${query}`, { method: 'POST' }),
        401,
        'invalid_client',
      )
    })
  })

  describe('lines that are not there to be chosen:', () => {
    const post = async (lineIds: string[], more: Record<string, string> = {}) => {
      const page = await visitor.follow(authorizePath(asking(application, more)))
      const chosen = lineIds.map((id) => ['lineId', id])
      return visitor.post(page.url, consentFields(page.answer, [...chosen, ['decision', 'authorize']]))
    }
    const connected = async () =>
      server.context.db('application_lines').where({ application_id: application.id }).pluck('line_id')

    it("another user's line is refused, and nothing is connected", async () => {
      const { line: others } = await createVisitor(server)
      const before = await connected()
      const answer = await post([visitor.line.lineId, others.lineId])
      expect(answer.status).to.equal(403)
      expect(answer.text).to.include('not one of your active lines')
      expect(await connected()).to.deep.equal(before)
    })

    it('choosing no line is refused, and the page is shown again', async () => {
      const answer = await post([])
      expect(answer.status).to.equal(400)
      expect(answer.text).to.include('Choose at least one line').and.include('Authorize</button>')
      expect(answer.headers.get('content-security-policy')).to.include('https://app.example')
    })

    it("another user's line_id is not shown and not connected", async () => {
      const { line: others } = await createVisitor(server, { name: 'Secret line' })
      const page = await visitor.follow(authorizePath(asking(application, { line_id: others.lineId })))
      expect(page.answer.text).to.include('not one of your active lines').and.not.to.include('Secret line')
      const before = await connected()
      expect((await post([others.lineId], { line_id: others.lineId })).status).to.equal(403)
      expect(await connected()).to.deep.equal(before)
    })
  })
})
