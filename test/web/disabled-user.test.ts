import { expect } from 'chai'
import { createApiToken } from '../../src/domain/people/api-tokens.js'
import { setLineStatus } from '../../src/domain/lines/lines.js'
import type { Context } from '../../src/domain/context.js'
import { disableUser, enableUser } from '../../src/domain/people/disabled-users.js'
import { receiveMessage } from '../../src/domain/messages/receive.js'
import { connect, createApplication as register } from '../domain/applications/applications.js'
import { claimDelivery, deliveryRow, inboundText, receiveForDelivery } from '../domain/fixtures.js'
import { createJoinedContext } from '../helpers/context.js'
import { createLine, messageBody } from '../helpers/factories.js'
import { describeWith, openForSuite } from '../helpers/suite.js'
import { until } from '../helpers/until.js'
import {
  asking,
  call,
  createVisitor,
  exchange,
  expectOAuthError,
  getCode,
  getTokens,
  introspect,
  partiesForEachTest,
  REDIRECT_URI,
  refresh,
  serveOAuth,
  type Tokens,
} from './oauth/support.js'
import { newNumber } from './support.js'

const URL = 'http://127.0.0.1:9/events'

/** Whatever a process remembers: what another one has done holds from the next request on. */
describeWith('a user disabled by another process', serveOAuth, (server) => {
  const elsewhere = openForSuite(() => createJoinedContext(server.context))
  const { application, visitor } = partiesForEachTest(server, {
    application: { webhookUrl: URL },
    line: { outgoingUrl: URL },
  })
  let context: Context
  let userId: string
  let apiToken: string
  let tokens: Tokens

  beforeEach(async () => {
    ;({ context } = server)
    ;({ userId } = visitor.line)
    ;({ token: apiToken } = await createApiToken(context, userId, 'a program'))
    tokens = await getTokens(server, visitor, application)
  })

  const page = async () => (await visitor.get('/console')).status
  const asUser = async () => (await call(server, apiToken, '/v1/lines')).status
  const asApplication = async () => (await call(server, tokens.access_token, '/v1/lines')).status
  const postToWebhook = async (line = visitor.line) =>
    (await server.web.post(line.webhookPath, messageBody({ toNumber: newNumber() }))).status
  const isActive = async () =>
    ((await introspect(server, application, tokens.access_token)).body as { active: boolean }).active
  const states = async () => [await page(), await asUser(), await asApplication(), await isActive()]

  it('is out at once: sessions, API tokens, access tokens, refresh tokens and codes', async () => {
    const code = await getCode(visitor, asking(application))
    expect(await states()).to.deep.equal([200, 200, 200, true])
    await disableUser(elsewhere, userId, 'goes_on')
    expect(await states()).to.deep.equal([302, 401, 401, false])
    expectOAuthError(await refresh(server, application, tokens.refresh_token), 400, 'invalid_grant')
    expectOAuthError(await exchange(server, application, code), 400, 'invalid_grant')
  })

  it('is removed from a live page within moments', async () => {
    const cookie = visitor.cookies.get('__Host-linehook')?.value ?? ''
    const response = await fetch(`${server.web.url}/console/activity/live`, {
      headers: { Cookie: `__Host-linehook=${cookie}` },
    })
    const reader = response.body!.getReader()
    await reader.read()
    await disableUser(elsewhere, userId, 'goes_on')
    const isOver = async () => (await reader.read()).done
    await until('the stream has ended', isOver)
  })

  it('has working tokens and authorizations again once enabled, and must sign in again', async () => {
    await disableUser(elsewhere, userId, 'stops')
    expect([await asUser(), await asApplication(), await postToWebhook()]).to.deep.equal([401, 401, 404])
    await enableUser(elsewhere, userId)
    expect([await asUser(), await asApplication(), await postToWebhook()]).to.deep.equal([200, 200, 200])
    expect((await refresh(server, application, tokens.refresh_token)).status).to.equal(200)
    expect(await page()).to.equal(302)
    expect(await context.db('sessions').where({ user_id: userId })).to.deep.equal([])
  })

  describe('whose lines and applications keep working', () => {
    it('has webhooks that send, and events that go out', async () => {
      await disableUser(elsewhere, userId, 'goes_on')
      expect(await postToWebhook()).to.equal(200)
      const delivery = await receiveForDelivery(context, visitor.line)
      expect(await claimDelivery(context, delivery.id)).to.include({ status: 'delivering' })
    })
  })

  describe('whose lines and applications stop', () => {
    it('has webhooks that answer 404 although web remembers them, and events that are held', async () => {
      expect(await postToWebhook()).to.equal(200)
      expect(context.incomingWebhooks.remembered(visitor.line.lineId)).not.to.equal(undefined)
      const delivery = await receiveForDelivery(context, visitor.line)
      await disableUser(elsewhere, userId, 'stops')
      expect(await postToWebhook()).to.equal(404)
      expect(await claimDelivery(context, delivery.id)).to.include({ status: 'held' })
      expect((await deliveryRow(context, delivery.id)).status).to.equal('held')
      const received = await receiveMessage(context, inboundText(visitor.line))
      expect(received).to.include({ kind: 'received', deliveryCount: 0 })
    })

    it('has applications that are refused for other people’s lines too, and get no events', async () => {
      const theirs = await register(context, { userId, webhookUrl: URL, redirectUris: [REDIRECT_URI] })
      const other = await createVisitor(server)
      const asTheirs = {
        id: theirs.id,
        clientId: theirs.application.clientId,
        clientSecret: theirs.clientSecret ?? '',
        application: theirs.application,
      }
      const others = await getTokens(server, other, asTheirs)
      await connect(context, theirs, other.line)
      const use = async () => (await call(server, others.access_token, '/v1/lines')).status
      const begin = async () => (await other.follow(`/oauth/authorize?client_id=${asTheirs.clientId}`)).answer
      expect(await use()).to.equal(200)

      await disableUser(elsewhere, userId, 'stops')
      expect(await use()).to.equal(401)
      expectOAuthError(await refresh(server, asTheirs, others.refresh_token), 401, 'invalid_client')
      expect((await begin()).status).to.equal(400)
      await receiveMessage(context, inboundText(other.line))
      const ofOthers = () => context.db('deliveries').where({ line_id: other.line.lineId }).pluck('status')
      expect(await ofOthers()).to.deep.equal(['held'])
      expect(await postToWebhook(other.line)).to.equal(200)

      await enableUser(elsewhere, userId)
      expect(await use()).to.equal(200)
      await receiveMessage(context, inboundText(other.line))
      expect((await ofOthers()).toSorted()).to.deep.equal(['held', 'pending'])
    })

    it('gets back nothing that was off before, or was changed since', async () => {
      const [off, switched] = [await createLine(context, { userId }), await createLine(context, { userId })]
      await setLineStatus(context, userId, off.lineId, 'disabled')
      const failing = { disabled_at: new Date(), disabled_reason: 'failing' }
      const { id: endpointId } = await register(context, { userId, webhookUrl: URL })
      const endpoints = () =>
        context.db('endpoints').where({ user_id: userId }).orderBy('id').pluck('disabled_reason')
      await context
        .db('endpoints')
        .whereIn('id', context.db('applications').where({ id: endpointId }).select('endpoint_id'))
        .update(failing)
      await disableUser(elsewhere, userId, 'stops')
      expect(await endpoints()).to.deep.equal(['owner_disabled', 'failing'])
      for (const status of ['active', 'disabled'] as const) {
        await setLineStatus(context, userId, switched.lineId, status)
      }
      await enableUser(elsewhere, userId)
      expect(await endpoints()).to.deep.equal([null, 'failing'])
      const active = context.db('lines').where({ user_id: userId, status: 'active' }).pluck('id')
      expect(await active).to.deep.equal([visitor.line.lineId])
    })
  })
})
