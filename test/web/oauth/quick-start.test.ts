import { expect } from 'chai'
import { messagesOf } from '../support.js'
import { describeWith } from '../../helpers/suite.js'
import {
  asking,
  authorizePath,
  createApplication,
  createVisitor,
  decide,
  getTokens,
  REDIRECT_URI,
  requestToken,
  send,
  serveOAuth,
  type TestApplication,
  type Visitor,
} from './support.js'

describeWith('an application', serveOAuth, (server) => {
  let application: TestApplication
  let visitor: Visitor

  before(async () => {
    application = await createApplication(server, { webhookUrl: 'http://127.0.0.1:9/events' })
    visitor = await createVisitor(server, { name: 'Shop' })
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

  it('sends a message from a connected line, under its own name', async () => {
    const { access_token: token } = await getTokens(server, visitor, application)
    const answer = await send(server, token, {
      lineId: visitor.line.lineId,
      toNumber: '+15005550188',
      text: 'Hello',
    })
    expect(answer.status, answer.text).to.equal(200)
    expect(answer.body).to.include({
      lineId: visitor.line.lineId,
      direction: 'outbound',
      source: 'application',
      applicationId: application.id,
      fromNumber: visitor.line.number,
      toNumber: '+15005550188',
      text: 'Hello',
      mediaUrl: null,
      status: 'queued',
      error: null,
      sentAt: null,
    })
    expect(await messagesOf(server.context, visitor.line.lineId)).to.have.length(1)
  })

  it('refreshes its tokens, and gets a response of the same form', async () => {
    const first = await getTokens(server, visitor, application)
    const answer = await requestToken(server, application, {
      grant_type: 'refresh_token',
      refresh_token: first.refresh_token,
    })
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
    expect(back.searchParams.get('error')).to.equal('access_denied')
    expect(back.searchParams.get('state')).to.equal('a state')
    expect(back.searchParams.get('iss')).to.equal(server.context.config.publicUrl)
    expect(back.searchParams.has('code')).to.be.false
  })
})
