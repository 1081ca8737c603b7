import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { notifyOfAccountChange } from '../../../src/domain/operating/notices/insert.js'
import { COMMAND_LINE, pauseEndpoint } from '../../../src/domain/operating/pauses.js'
import { getEndpoint } from '../../../src/domain/endpoints/endpoints.js'
import { connect, createApplication } from '../../domain/applications/applications.js'
import { createApiToken } from '../../../src/domain/people/api-tokens.js'
import { ANNA, inboundText } from '../../domain/fixtures.js'
import { own } from '../../helpers/factories.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { describeWith, openForSuite } from '../../helpers/suite.js'
import { clientOf, createOwner, expectAnswer, expectProblem, ownerForEachTest, serveApi } from './support.js'

interface Shown {
  id: string
  signingSecret: string
  pausedAt: string | null
}

describeWith('/v1/endpoints', serveApi, (api) => {
  const receiver = openForSuite(startReceiver)
  const { line, client } = ownerForEachTest(api, () => ({ outgoingUrl: receiver.url }))
  let application: Awaited<ReturnType<typeof createApplication>>

  beforeEach(async () => {
    application = await createApplication(api.context, { userId: line.userId, webhookUrl: receiver.url })
    await connect(api.context, application, line)
    receiver.requests.length = 0
    receiver.answerWith((response) => response.end('ok'))
  })

  const add = async (body: object = {}) =>
    expectAnswer(
      await client.post('/v1/endpoints', { lineId: line.lineId, url: receiver.url, ...body }),
    ) as Shown

  it('adds one to a line, shows its secret only once, and lists all by line, application and state', async () => {
    const { signingSecret, ...shown } = await add({ name: 'CRM', optInEvents: ['optOut'] })
    expect(signingSecret).to.match(/^whsec_/)
    expect(shown).to.deep.include({
      lineId: line.lineId,
      applicationId: null,
      isOutgoingWebhook: false,
      name: 'CRM',
      url: receiver.url,
      optInEvents: ['optOut'],
      pausedBy: null,
      consecutiveFailureCount: 0,
    })
    const list = async (query = '') =>
      (expectAnswer(await client.get(`/v1/endpoints${query}`)) as Shown[]).map(({ id }) => id)
    expect(await list()).to.have.members([line.endpointId, shown.id, application.endpointId])
    expect(await list(`?lineId=${line.lineId}`)).to.deep.equal([line.endpointId, shown.id])
    expect(await list(`?applicationId=${application.id}`)).to.deep.equal([application.endpointId])
    expect(await list('?state=failing')).to.deep.equal([])
    expectProblem(await client.get('/v1/endpoints?state=broken'), 400, /^state must be one of disabled/)
    expect(expectAnswer(await client.get(`/v1/endpoints/${shown.id.toUpperCase()}`))).to.deep.equal(shown)
  })

  it('requires an owner for the events, and explains other errors', async () => {
    const { lineId } = line
    const url = receiver.url
    for (const [body, fault] of [
      [{ url, lineId, applicationId: application.id }, /^Give lineId or applicationId/],
      [{ lineId }, /^url is required/],
      [{ lineId, url: 7 }, /^url must be a URL/],
      [{ lineId, url: 'ftp://x' }, /^url: /],
      [{ lineId, url, name: 1 }, /^name must be text/],
      [{ lineId, url, optInEvents: ['lineDisconnected'] }, /^optInEvents can contain/],
    ] as const) {
      expectProblem(await client.post('/v1/endpoints', body), 400, fault)
    }
    expectProblem(await client.post('/v1/endpoints', { url, lineId: 'x' }), 404, /^No such line/)
    const ofApplication = { url, applicationId: application.id }
    expectProblem(await client.post('/v1/endpoints', ofApplication), 409, /has an endpoint/)
    expectAnswer(await client.put(`/v1/lines/${lineId}/connection`, { enabled: false }))
    expectProblem(await client.post('/v1/endpoints', { url, lineId }), 409, /connection is off/)
  })

  it('adds an operational webhook, which gets the user’s notifications, if no line or application is named', async () => {
    const webhook = expectAnswer(await client.post('/v1/endpoints', { url: receiver.url })) as Shown
    expect(webhook).to.include({ lineId: null, applicationId: null, isOutgoingWebhook: false })
    expectAnswer(await client.post(`/v1/endpoints/${webhook.id}/test-event`))
    expect(JSON.parse(receiver.requests.at(-1)!.body)).to.include({ type: 'endpoint.failing' })
    const user = { id: line.userId }
    await notifyOfAccountChange(api.context, api.context.db, {
      kind: 'second_factor.removed',
      user,
      details: { userId: user.id, email: 'ada@example.com' },
    })
    const [delivery] = expectAnswer(await client.get(`/v1/endpoints/${webhook.id}/deliveries`)) as Shown[]
    expect(delivery).to.include({ lineId: null, fromNumber: null, type: 'second_factor.removed' })
    const optInEvents = ['optOut']
    const refused = await client.ask('PATCH', `/v1/endpoints/${webhook.id}`, { optInEvents })
    expectProblem(refused, 400, /^An operational webhook has no optInEvents/)
    expectAnswer(await client.ask('DELETE', `/v1/endpoints/${webhook.id}`))
  })

  it('replays no events of a line from which the endpoint gets none', async () => {
    const { line: other } = await createOwner(api)
    const operational = expectAnswer(await client.post('/v1/endpoints', { url: receiver.url })) as Shown
    const from = '2026-01-01T00:00:00Z'
    for (const [endpointId, lineId] of [
      [line.endpointId, other.lineId],
      [operational.id, line.lineId],
    ]) {
      for (const act of ['replay', 'replay/preview']) {
        const answer = await client.post(`/v1/endpoints/${endpointId}/${act}`, { from, lineId })
        expectProblem(answer, 400, /^lineId: the endpoint gets no events from this line/)
      }
    }
    expect(expectAnswer(await client.get('/v1/tasks'))).to.deep.equal([])
    const same = { from, lineId: line.lineId.toUpperCase() }
    expectAnswer(await client.post(`/v1/endpoints/${line.endpointId}/replay/preview`, same))
  })

  it('knows a line by its ID in any spelling, as do messages and segments', async () => {
    const lineId = line.lineId.toUpperCase()
    expect(expectAnswer(await client.get(`/v1/endpoints?lineId=${lineId}`))).to.have.length(1)
    const { token } = await createApiToken(api.context, line.userId, 'a test', { lineId: line.lineId })
    const ofLine = clientOf(api.web, token)
    expectAnswer(await ofLine.post('/v1/segments', { text: 'Hi', lineId }))
    expectAnswer(await ofLine.post('/v1/messages', { text: 'Hi', lineId, toNumber: ANNA }))
  })

  const KINDS: [kind: string, find: () => Promise<string>][] = [
    ['a line’s outgoing webhook', () => Promise.resolve(line.endpointId)],
    ['another endpoint of a line', async () => (await add()).id],
    ['an application’s webhook', () => Promise.resolve(application.endpointId)],
  ]
  for (const [kind, find] of KINDS) {
    it(`supports every operation on ${kind}`, async () => {
      const id = await find()
      const one = `/v1/endpoints/${id}`
      const act = (name: string, body?: object) => client.post(`${one}/${name}`, body)
      const { signingSecret: old } = expectAnswer(await client.get(`${one}/signing-secret`)) as Shown
      const { signingSecret } = expectAnswer(await act('rotate-secret')) as Shown
      for (const body of [undefined, { overlapSeconds: 60 }])
        expectProblem(
          await act('rotate-secret', body),
          409,
          /^overlapSeconds: .* end both immediately \(0\)$/,
        )
      expectProblem(await act('rotate-secret', { overlapSeconds: -1 }), 400, /^overlapSeconds must be/)
      expect(expectAnswer(await act('test-event', { type: 'optOut' }))).to.include({
        delivered: true,
        responseStatus: 200,
        responseExcerpt: 'ok',
      })
      const { headers, body } = receiver.requests.at(-1)!
      for (const secret of [old, signingSecret]) {
        expect(new Webhook(secret).verify(body, headers as Record<string, string>)).to.include({
          type: 'optOut',
        })
      }
      expectProblem(await act('test-event', { type: 'x' }), 400, /^type must be one of/)

      const patch = (written: unknown, below = '') => client.ask('PATCH', `${one}${below}`, written)
      const url = `${receiver.url}?of=crm`
      expect(expectAnswer(await patch({ url, name: 'CRM' }))).to.include({ url, name: 'CRM' })
      expectProblem(await patch({}), 400, /one of name, url/)
      expectProblem(await patch({ url: '' }), 400, /^url: /)
      expect(expectAnswer(await patch({ timeoutSeconds: 5 }, '/policy'))).to.include({ timeoutSeconds: 5 })
      expect(expectAnswer(await client.get(`${one}/policy`))).to.include({ timeoutSeconds: 5 })
      expect(expectAnswer(await act('policy/preview', { shape: 'slack' }))).to.include({ isSample: true })
      expect(expectAnswer(await act('replay/preview', { from: '2026-01-01T00:00:00Z' }))).to.deep.equal({
        count: 0,
        isMore: false,
      })

      expect(expectAnswer(await act('pause'))).to.include({ pausedBy: 'owner' })
      await receiveMessage(api.context, inboundText(line))
      expectProblem(await act('try-now'), 409, /paused. Resume them first/)
      expect(expectAnswer(await act('resume'))).to.include({ pausedBy: null })
      expect(expectAnswer(await act('try-now'))).to.deep.equal({ count: 0 })
      const [delivery] = expectAnswer(await client.get(`${one}/deliveries?limit=1`)) as Record<
        string,
        string
      >[]
      expect(delivery).to.include({ lineId: line.lineId, status: 'pending', type: 'inboundText' })

      receiver.answerWith((response) => response.writeHead(410).end())
      expect(await deliver(api.context, delivery!.id!, id)).to.include({ kind: 'held' })
      expect(expectAnswer(await client.get(one))).to.include({ disabledReason: 'gone' })
      expectProblem(await act('send-held-events'), 409, /Enable it first/)
      expectProblem(await act('replay', { from: '2026-01-01T00:00:00Z' }), 409, /disabled/)
      expect(expectAnswer(await act('enable'))).to.include({ disabledReason: null })
      expect(expectAnswer(await act('send-held-events'))).to.deep.equal({ count: 1 })

      await pauseEndpoint(
        api.context,
        COMMAND_LINE,
        await getEndpoint(api.context, { userId: line.userId }, id),
      )
      expectProblem(await act('resume'), 403, /^An operator paused this/)
      expect(expectAnswer(await client.delete(one))).to.include({ id })
      expectProblem(await client.get(one), 404, /^No such endpoint$/)
      expect(expectAnswer(await client.get(`/v1/deliveries/${delivery!.id!}`))).to.include({
        status: 'exhausted',
        lastFailure: 'disconnected',
      })
    })
  }

  it('shows the outcome of an application’s deliveries, but not their content', async () => {
    await receiveMessage(api.context, inboundText(line))
    await receiveMessage(api.context, inboundText(line))
    const path = `/v1/endpoints/${application.endpointId}/deliveries`
    const first = await client.get(`${path}?limit=1`)
    const [newest] = expectAnswer(first) as { id: string }[]
    expect(first.headers.get('link')).to.include(`before=${newest?.id ?? ''}`)
    const older = expectAnswer(await client.get(`${path}?limit=1&before=${newest?.id ?? ''}`))
    expect(older).to.have.length(1)
    expect(first.text).not.to.include('Hi there').and.not.to.include('+15005550101')
    expectProblem(await client.get('/v1/endpoints/x/deliveries'), 404, /^No such endpoint$/)
  })

  it('answers 200 with the name of the failure when a test event fails', async () => {
    receiver.answerWith((response) => response.writeHead(500).end('<b>broken</b>'))
    const path = `/v1/endpoints/${line.endpointId}`
    expect(expectAnswer(await client.post(`${path}/test-event`))).to.include({
      delivered: false,
      responseStatus: 500,
      failure: 'http_500',
      responseExcerpt: '<b>broken</b>',
    })
    expectProblem(await client.post(`${path}/test-event`, 'x'), 400, /JSON object/)
    await client.put(`/v1/lines/${line.lineId}/connection`, { enabled: false })
    expectProblem(await client.post(`${path}/test-event`), 409, /connection is off/)
  })

  it('sends an example to the outgoing webhook and to listeners, or without a webhook to listeners only', async () => {
    const trigger = (body?: object) => client.post(`/v1/lines/${line.lineId}/events/trigger`, body)
    expect(expectAnswer(await trigger({ type: 'voiceMail' }))).to.include({ delivered: true })
    expectAnswer(await client.delete(`/v1/endpoints/${line.endpointId}`))
    expect(expectAnswer(await trigger())).to.include({ delivered: false, failure: 'no_url' })
  })

  it('keeps a pause when the URL changes', async () => {
    expectAnswer(await client.post(`/v1/endpoints/${line.endpointId}/pause`))
    const change = { enabled: true, outgoingWebhookUrl: 'http://127.0.0.1:9/others' }
    const { endpoint } = expectAnswer(await client.put(`/v1/lines/${line.lineId}/connection`, change)) as {
      endpoint: Shown
    }
    expect(endpoint).to.include({ id: line.endpointId, pausedBy: 'owner' })
    expect(await getEndpoint(api.context, ...own(line)))
      .to.have.property('pausedAt')
      .that.is.a('date')
  })
})
