import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { inboundText } from '../../domain/fixtures.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { describeWith, openForSuite } from '../../helpers/suite.js'
import { createOwner, expectAnswer, expectProblem, serveApi } from './support.js'

interface Endpoint {
  id: string
  signingSecret: string
}

describeWith('/v1/lines/{lineId}/endpoints', serveApi, (api) => {
  const receiver = openForSuite(startReceiver)

  it('does with further endpoints all that is done with the outgoing webhook URL', async () => {
    const { line, client, path } = await createOwner(api, { outgoingUrl: receiver.url })
    const endpoints = `${path}/endpoints`
    const added = expectAnswer(
      await client.post(endpoints, { name: 'CRM', url: receiver.url, optInEvents: ['optOut'] }),
    ) as Endpoint
    const { signingSecret, ...shown } = added
    expect(shown).to.deep.include({
      lineId: line.lineId,
      name: 'CRM',
      url: receiver.url,
      optInEvents: ['optOut'],
      pausedBy: null,
      consecutiveFailureCount: 0,
    })
    const one = `${endpoints}/${added.id}`
    expect(expectAnswer(await client.get(endpoints))).to.deep.equal([shown])
    const inCapitals = await client.get(`${endpoints}/${added.id.toUpperCase()}`)
    expect(expectAnswer(inCapitals)).to.deep.equal(shown)
    expect(expectAnswer(await client.get(`${one}/signing-secret`))).to.deep.equal({ signingSecret })

    const replay = (body: object) =>
      client.post(`${path}/connection/replay/preview`, { from: '2026-01-01T00:00:00Z', ...body })
    expect(expectAnswer(await replay({ endpointId: added.id }))).to.deep.equal({ count: 0, isMore: false })
    expectProblem(await replay({ endpointId: line.lineId }), 404, /^no such endpoint/)
    expectProblem(await replay({ endpointId: 'x' }), 400, /^endpointId must be an id/)

    const patch = (body: unknown, below = '') => client.ask('PATCH', `${one}${below}`, body)
    const url = `${receiver.url}?of=crm`
    expect(expectAnswer(await patch({ url, name: '' }))).to.deep.include({
      url,
      name: null,
      optInEvents: ['optOut'],
    })
    for (const [body, fault] of [
      [{}, /give name, url/],
      [{ url: 'ftp://x' }, /^url: /],
      [{ url: 7 }, /url must be a URL/],
      [{ name: 1 }, /name must be text/],
      [{ optInEvents: ['lineDisconnected'] }, /^optInEvents may name/],
    ] as const) {
      expectProblem(await patch(body), 400, fault)
    }
    expectProblem(await client.post(endpoints, { name: 'x' }), 400, /^url is missing/)
    expect(expectAnswer(await patch({ timeoutSeconds: 5 }, '/policy'))).to.include({ timeoutSeconds: 5 })
    expect(expectAnswer(await client.get(`${one}/policy`))).to.include({ timeoutSeconds: 5 })
    expect(expectAnswer(await client.get(`${path}/connection/policy`))).to.include({ timeoutSeconds: null })
    expect(expectAnswer(await client.post(`${one}/policy/preview`, { shape: 'slack' }))).to.include({
      isSample: true,
    })

    expect(expectAnswer(await client.post(`${one}/test-event`, { type: 'optOut' }))).to.include({
      delivered: true,
    })
    const { headers, body, path: called } = receiver.requests.at(-1)!
    expect(called).to.match(/of=crm$/)
    expect(new Webhook(signingSecret).verify(body, headers as Record<string, string>)).to.include({
      type: 'optOut',
    })
    const rotated = expectAnswer(await client.post(`${one}/rotate-secret`)) as Endpoint
    expect(rotated.signingSecret)
      .to.match(/^whsec_/)
      .and.not.equal(signingSecret)

    expect(expectAnswer(await client.post(`${one}/pause-events`))).to.include({ pausedBy: 'owner' })
    await receiveMessage(api.context, inboundText(line))
    const deliveries = expectAnswer(await client.get(`${one}/deliveries`)) as Record<string, string>[]
    expect(deliveries).to.have.length(1)
    expect(deliveries[0]).to.include({ endpointId: added.id, url, status: 'pending', applicationId: null })
    const all = expectAnswer(await client.get('/v1/deliveries')) as Record<string, string>[]
    expect(all.map(({ endpointId }) => endpointId === added.id)).to.deep.equal([true, false])
    expectProblem(await client.post(`${one}/try-events-now`), 409, /paused/)
    expect(expectAnswer(await client.post(`${one}/resume-events`))).to.include({ pausedBy: null })
    expect(expectAnswer(await client.post(`${one}/try-events-now`))).to.deep.equal({ count: 0 })

    receiver.answerWith((response) => response.writeHead(410).end())
    expect(await deliver(api.context, deliveries[0]!.id!, added.id)).to.include({ kind: 'held' })
    expect(expectAnswer(await client.get(one))).to.include({ disabledReason: 'gone' })
    expectProblem(await client.post(`${one}/send-held-events`), 409, /enable it again first/)
    expect(expectAnswer(await client.post(`${one}/enable`))).to.include({ disabledReason: null })
    expect(expectAnswer(await client.post(`${one}/send-held-events`))).to.deep.equal({ count: 1 })

    expect(expectAnswer(await client.delete(one))).to.include({ id: added.id })
    expectProblem(await client.get(one), 404, /^no such endpoint$/)
    expectProblem(await client.get(`${endpoints}/x/deliveries`), 404, /^no such endpoint$/)
    expect(expectAnswer(await client.get(`/v1/deliveries/${deliveries[0]!.id!}`))).to.include({
      status: 'exhausted',
      lastFailure: 'disconnected',
    })

    expectAnswer(await client.put(`${path}/connection`, { enabled: false }))
    expectProblem(await client.post(endpoints, { url }), 409, /not enabled: enable it first/)
  })
})
