import { expect } from 'chai'
import ClientOAuth2 from 'client-oauth2'
import { createEnvironment } from '../helpers/process/environment.js'
import { startWorkers, stopProcesses } from '../helpers/process/processes.js'
import { startReceiver, type Receiver } from '../helpers/services/receiver.js'
import { until } from '../helpers/until.js'
import type { Answer } from '../helpers/web/web.js'
import {
  call,
  createApplication,
  createVisitor,
  decide,
  serveOAuth,
  type OAuthServer,
  type TestApplication,
  type Tokens,
  type Visitor,
} from '../web/oauth/support.js'
import { newNumber } from '../web/support.js'

const BEN = '+15005550199'

type BurnerTokens = Omit<Tokens, 'connected_lines'> & { connected_burners: Record<string, unknown>[] }

/**
 * What is read in the code of public clients of the original: their scopes to the letter, their paths, their bodies and
 * their habits. None of them has been changed for Linehook but in its host.
 */
describe('journey: clients of the original, with PRODUCT_WORD=burner', () => {
  let server: OAuthServer
  let receiver: Receiver
  let visitor: Visitor
  let burnerId: string

  before(async () => {
    const environment = await createEnvironment({ PRODUCT_WORD: 'burner' })
    ;[server, receiver] = await Promise.all([serveOAuth(environment), startReceiver()])
    await startWorkers(['deliver-event', 'send-message'], environment)
  })

  beforeEach(async () => {
    visitor = await createVisitor(server, { name: 'My Burner' })
    burnerId = visitor.line.lineId
    receiver.requests.length = 0
  })

  after(async () => {
    await stopProcesses()
    await receiver.close()
    await server.close()
  })

  const register = (redirectUri: string): Promise<TestApplication> =>
    createApplication(server, { redirectUris: [redirectUri], webhookUrl: receiver.url })
  /** Through sign-in and consent, back to the client's own address. */
  const authorize = async (url: string): Promise<URL> => decide(visitor, await visitor.follow(url))
  const codeOf = async (url: string): Promise<string> => {
    const code = (await authorize(url)).searchParams.get('code')
    expect(code, url).to.be.a('string')
    return code ?? ''
  }
  const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
    server.web.request(path, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/x-www-form-urlencoded',
        Accept: 'application/json',
        ...headers,
      },
      body: new URLSearchParams(fields).toString(),
    })
  const expectTokens = (answer: Answer, scope: string): string => {
    expect(answer.status, answer.text).to.equal(200)
    const { connected_burners: burners, ...tokens } = answer.body as BurnerTokens
    expect(tokens).to.include({ token_type: 'Bearer', scope })
    expect(burners).to.deep.equal([
      {
        id: burnerId,
        name: 'My Burner',
        phoneNumber: visitor.line.number,
        status: 'active',
        outgoing_webhook_url: receiver.url,
      },
    ])
    return tokens.access_token
  }
  const expectBurners = (answer: Answer): Record<string, unknown>[] => {
    expect(answer.status, answer.text).to.equal(200)
    const burners = answer.body as Record<string, unknown>[]
    expect(burners).to.have.length(1)
    expect(burners[0]).to.include({ id: burnerId, phoneNumber: visitor.line.number })
    return burners
  }
  const json = (token: string, path: string, body: object, headers: Record<string, string> = {}) =>
    call(server, token, path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const expectSent = async (token: string, answer: Answer, expected: object): Promise<void> => {
    expect(answer.status, answer.text).to.equal(200)
    const { id } = answer.body as { id: string }
    expect(answer.body).to.include({ burnerId, ...expected })
    await until('the message is sent', async () => {
      const { status } = (await call(server, token, `/v1/messages/${id}`)).body as { status: string }
      return ['sent', 'delivered'].includes(status)
    })
  }
  /** @returns the event as the client's own server gets it */
  const receive = async (text: string): Promise<Record<string, unknown>> => {
    const fromNumber = newNumber()
    const message = { fromNumber, toNumber: visitor.line.number, text }
    expect((await server.web.post('/simulator/inbound', message)).status).to.equal(200)
    const { body } = await until('the event arrives', () => receiver.requests[0])
    const event = JSON.parse(body) as Record<string, unknown>
    expect(event).to.deep.equal({
      type: 'inboundText',
      payload: text,
      fromNumber,
      toNumber: visitor.line.number,
      userId: visitor.line.userId,
      burnerId,
    })
    return event
  }

  it('a demo in Express (client-oauth2) authorizes, lists by burnerId, and replies to incoming texts', async () => {
    const redirectUri = 'http://localhost:5000/oauth/callback'
    const application = await register(redirectUri)
    const client = new ClientOAuth2({
      clientId: application.clientId,
      clientSecret: application.clientSecret,
      accessTokenUri: `${server.web.url}/oauth/access`,
      authorizationUri: `${server.web.url}/oauth/authorize`,
      redirectUri,
      scopes: 'messages:write,messages:connect,burners:read,burners:write,contacts:read'.split(','),
    })
    const { accessToken: token, data } = await client.code.getToken(
      (await authorize(client.code.getUri())).href,
    )
    expect(data).to.have.property('connected_burners').that.has.length(1)
    expect(data.scope).to.equal('messages:write messages:connect burners:read burners:write contacts:read')
    for (const query of ['', `?burnerId=${burnerId}`, `?id=${burnerId}`]) {
      expectBurners(await call(server, token, `/v1/burners${query}`))
      expectBurners(await call(server, token, `/v1/burners/${query}`))
    }
    const event = await receive('hello there')
    const reply = { burnerId: event.burnerId, text: 'Text a phrase, not a novel', toNumber: event.fromNumber }
    // A worker may have sent it before it is answered.
    await expectSent(token, await json(token, '/v1/messages', reply), { error: null, text: reply.text })
  })

  it('a settings demo sends one setting in the query of PUT, of which only the name is supported', async () => {
    const application = await register('https://settings.example/oauth/callback')
    const scope = 'burners:read burners:write'
    const url = `/oauth/authorize?client_id=${application.clientId}&redirect_uri=https%3A%2F%2Fsettings.example%2Foauth%2Fcallback&scope=${scope.replace(' ', '%20')}&response_type=code&state=`
    const fields = {
      grant_type: 'authorization_code',
      code: await codeOf(url),
      redirect_uri: 'https://settings.example/oauth/callback',
    }
    const { clientId, clientSecret } = application
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
    const token = expectTokens(
      await post('/oauth/access', fields, { Authorization: `Basic ${basic}` }),
      scope,
    )
    const put = (query: string) => call(server, token, `/v1/burners/${burnerId}?${query}`, { method: 'PUT' })
    expect(expectBurners(await put('name=New%20name'))[0]).to.include({ name: 'New name' })
    const refused = await put('ringer=true')
    expect([refused.status, (refused.body as { detail: string }).detail]).to.deep.equal([
      400,
      'Give a name, in a JSON body or in the query. Only the name can be changed here',
    ])
  })

  it("the original's starter kit (simple-oauth2) works with both kinds of credentials and a base URL that ends in a slash", async () => {
    const redirectUri = 'http://localhost:3001/auth/burner/callback'
    const application = await register(redirectUri)
    const { clientId, clientSecret } = application
    const query = new URLSearchParams({
      redirect_uri: redirectUri,
      scope: 'messages:connect burners:read burners:write contacts:write',
      state: 'a state secret',
      response_type: 'code',
      client_id: clientId,
    })
    const code = await codeOf(`/oauth/authorize?${query}`)
    const fields = {
      code,
      grant_type: 'authorization_code',
      client_id: clientId,
      client_secret: clientSecret,
    }
    const basic = Buffer.from(`${clientId}:${clientSecret}`).toString('base64')
    const answer = await post('/oauth/access', fields, { Authorization: `Basic ${basic}` })
    const token = expectTokens(answer, 'messages:connect burners:read burners:write contacts:write')
    const version = { 'X-Application-Version': '2.1.10' }
    expectBurners(await call(server, token, '//v1/burners', { headers: version }))
    const message = { burnerId, toNumber: BEN, text: 'Sent by the kit' }
    await expectSent(token, await json(token, '//v1/messages', message, version), { text: message.text })
    await receive('to the kit')
  })

  it('a Go library works with unescaped spaces in scopes, no response_type, trailing slashes and a two-second timeout', async () => {
    const redirectUri = 'https://example.com/auth_redirect'
    const application = await register(redirectUri)
    const { clientId, clientSecret } = application
    const code = await codeOf(
      `/oauth/authorize?client_id=${clientId}&scope=messages:connect burners:read burners:write contacts:read contacts:write&redirect_uri=${redirectUri}`,
    )
    const fields = {
      client_id: clientId,
      client_secret: clientSecret,
      code,
      grant_type: 'authorization_code',
    }
    const token = expectTokens(
      await post('/v1/oauth/access', { ...fields, redirect_uri: redirectUri }),
      'messages:connect burners:read burners:write contacts:read contacts:write',
    )
    expectBurners(await call(server, token, '/v1/burners/'))
    const contact = { phoneNumber: BEN, name: 'Ben', burnerIds: [burnerId] }
    const made = (await json(token, '/v1/contacts', contact)).body
    expect(made).to.deep.include({ ...contact, blocked: false })
    expect((await call(server, token, '/v1/contacts?pageSize=5&page=1&blocked=false')).body).to.deep.equal([
      made,
    ])
    const settings =
      'autoReplyActive=true&autoReplyText=true&callerIdEnabled=true&color=testcolor&name=testname&notifications=true&ringer=true'
    const changed = await call(server, token, `/v1/burners/${burnerId}/?${settings}`, { method: 'PUT' })
    expect(expectBurners(changed)[0]).to.include({ name: 'testname' })
    const message = { burnerId, toNumber: BEN, text: 'sample text' }
    await expectSent(token, await json(token, '/v1/messages/', message), { text: 'sample text' })
    const webhook = `/webhooks/burner/${burnerId}?token=${visitor.line.token}`
    const posted = await server.web.post(webhook, {
      intent: 'message',
      data: { toNumber: BEN, text: 'by webhook' },
    })
    expect([posted.status, posted.body]).to.deep.equal([200, { success: true }])
    await receive('to Go')
  })

  it("the original's iOS kit works with an app scheme and no messages scope", async () => {
    const redirectUri = 'burner://burnerauth'
    const application = await register(redirectUri)
    const { clientId, clientSecret } = application
    const code = await codeOf(
      `/oauth/authorize?client_id=${clientId}&scope=burners:read%20burners:write%20contacts:read%20contacts:write&state=ABC&redirect_uri=${redirectUri}`,
    )
    const fields = {
      grant_type: 'authorization_code',
      client_id: clientId,
      client_secret: clientSecret,
      code,
    }
    const token = expectTokens(
      await post('/oauth/access', { ...fields, redirect_uri: redirectUri }),
      'burners:read burners:write contacts:read contacts:write',
    )
    expectBurners(await call(server, token, '/v1/burners'))
  })

  it('an OmniAuth strategy works with messages:connect burners:read and credentials in the body', async () => {
    const redirectUri = 'https://rails.example/auth/burner/callback'
    const application = await register(redirectUri)
    const { clientId, clientSecret } = application
    const query = new URLSearchParams({
      client_id: clientId,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'messages:connect burners:read',
      state: '0123456789abcdef',
    })
    const code = await codeOf(`/oauth/authorize?${query}`)
    const fields = {
      client_id: clientId,
      client_secret: clientSecret,
      code,
      grant_type: 'authorization_code',
    }
    expectTokens(
      await post('/oauth/access', { ...fields, redirect_uri: redirectUri }),
      'messages:connect burners:read',
    )
    await receive('to Rails')
  })
})
