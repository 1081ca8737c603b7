import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { deliveryRow, receiveForDelivery } from '../../domain/fixtures.js'
import type { TestLine } from '../../helpers/factories.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { describeWith, openForSuite } from '../../helpers/suite.js'
import { createOwner, expectAnswer, expectProblem, serveApi, type Client } from './support.js'

describeWith('/v1/lines/{lineId}/connection, below it', serveApi, (api) => {
  const receiver = openForSuite(startReceiver)
  let line: TestLine
  let client: Client
  let path: string

  beforeEach(async () => {
    const owner = await createOwner(api, { outgoingUrl: receiver.url })
    ;({ line, client } = owner)
    path = `${owner.path}/connection`
    receiver.requests.length = 0
    receiver.answerWith((response) => response.end('ok'))
  })

  const withoutUrl = async () => {
    const owner = await createOwner(api)
    return { path: `${owner.path}/connection`, client: owner.client }
  }

  describe('/test-event', () => {
    it('sends one signed event and says what the endpoint answered', async () => {
      const result = expectAnswer(await client.post(`${path}/test-event`)) as Record<string, unknown>
      expect(result).to.include({
        delivered: true,
        responseStatus: 200,
        failure: null,
        responseExcerpt: 'ok',
      })
      expect(receiver.requests).to.have.length(1)
      const { headers, body } = receiver.requests[0]!
      const event = new Webhook(line.signingSecret).verify(body, headers as Record<string, string>)
      expect(event).to.include({ type: 'inboundText', lineId: line.lineId, toNumber: line.number })
    })

    it('is answered with 200 when the endpoint fails, and with the name of the failure', async () => {
      receiver.answerWith((response) => {
        response.statusCode = 500
        response.end('<b>broken</b>')
      })
      expect(expectAnswer(await client.post(`${path}/test-event`, {}))).to.include({
        delivered: false,
        responseStatus: 500,
        failure: 'http_500',
        responseExcerpt: '<b>broken</b>',
      })
      await client.put(path, { outgoingWebhookUrl: 'http://127.0.0.1:1/' })
      expect(expectAnswer(await client.post(`${path}/test-event`))).to.include({
        delivered: false,
        responseStatus: null,
        failure: 'connect',
        responseExcerpt: null,
      })
    })

    it('answers 409 without a URL, and while the connection is disabled', async () => {
      const other = await withoutUrl()
      expectProblem(await other.client.post(`${other.path}/test-event`), 409, /no outgoing webhook URL/)
      await client.put(path, { enabled: false })
      expectProblem(await client.post(`${path}/test-event`), 409, /not enabled/)
      expect(receiver.requests).to.deep.equal([])
    })
  })

  describe('/signing-secret and /rotate-secret', () => {
    it('show the secret, and make a new one, after which both sign for 24 h', async () => {
      expect(expectAnswer(await client.get(`${path}/signing-secret`))).to.deep.equal({
        signingSecret: line.signingSecret,
      })
      const { signingSecret } = expectAnswer(await client.post(`${path}/rotate-secret`)) as {
        signingSecret: string
      }
      expect(signingSecret)
        .to.match(/^whsec_/)
        .and.not.to.equal(line.signingSecret)
      expect(expectAnswer(await client.get(`${path}/signing-secret`))).to.deep.equal({ signingSecret })

      await client.post(`${path}/test-event`)
      const { headers, body } = receiver.requests[0]!
      for (const secret of [signingSecret, line.signingSecret]) {
        new Webhook(secret).verify(body, headers as Record<string, string>)
      }
      const { endpoint } = expectAnswer(await client.get(path)) as {
        endpoint: { previousSecretUntil: string }
      }
      expect(Date.parse(endpoint.previousSecretUntil) - Date.now()).to.be.closeTo(86_400_000, 60_000)
    })

    it('answer 404 and 409 without a URL', async () => {
      const other = await withoutUrl()
      expectProblem(await other.client.get(`${other.path}/signing-secret`), 404, /no outgoing webhook URL/)
      expectProblem(await other.client.post(`${other.path}/rotate-secret`), 409, /no outgoing webhook URL/)
    })
  })

  describe('/send-held-events', () => {
    it('sends what was held, and says how much that was', async () => {
      const { id } = await receiveForDelivery(api.context, line)
      await api.context.db('deliveries').where({ id }).update({ status: 'held' })
      expect(expectAnswer(await client.post(`${path}/send-held-events`))).to.deep.equal({ count: 1 })
      expect(await deliveryRow(api.context, id)).to.include({ status: 'pending' })
      expect(expectAnswer(await client.post(`${path}/send-held-events`))).to.deep.equal({ count: 0 })
    })

    it('answers 409 while the endpoint or the connection is disabled', async () => {
      await api.context.db('endpoints').where({ user_id: line.userId }).update({
        disabled_at: new Date(),
        disabled_reason: 'failing',
      })
      expectProblem(await client.post(`${path}/send-held-events`), 409, /endpoint is disabled/)
      await client.put(path, { enabled: false })
      expectProblem(await client.post(`${path}/send-held-events`), 409, /not enabled/)
    })
  })

  it('a body is not needed, and one that is no JSON is refused', async () => {
    for (const operation of ['test-event', 'rotate-secret', 'send-held-events']) {
      expectAnswer(await client.post(`${path}/${operation}`, ''))
      expectAnswer(await client.post(`${path}/${operation}`, '{}'))
      expectProblem(await client.post(`${path}/${operation}`, 'x'), 400, /JSON object/)
    }
  })
})
