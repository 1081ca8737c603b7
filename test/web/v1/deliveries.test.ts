import { expect } from 'chai'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { sendMessage } from '../../../src/domain/messages/send.js'
import { ANNA, queueMessage, receiveForDelivery, type DeliveryRow } from '../../domain/fixtures.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { describeWith, openForSuite } from '../../helpers/suite.js'
import { createOwner, expectAnswer, expectProblem, ownerForEachTest, serveApi } from './support.js'

interface Delivery {
  id: string
  attempts?: Record<string, unknown>[]
  [field: string]: unknown
}

describeWith('/v1/deliveries', serveApi, (api) => {
  const receiver = openForSuite(startReceiver)
  const { line, client } = ownerForEachTest(api, () => ({ outgoingUrl: receiver.url }))

  beforeEach(() => {
    receiver.requests.length = 0
    receiver.answerWith((response) => response.end('thanks'))
  })

  const list = async (query = '') => expectAnswer(await client.get(`/v1/deliveries${query}`)) as Delivery[]
  const idsOf = async (query = '') => (await list(query)).map(({ id }) => id)
  const get = async (id: string) => expectAnswer(await client.get(`/v1/deliveries/${id}`)) as Delivery
  const attempt = ({ id, endpoint_id: endpointId }: DeliveryRow) => deliver(api.context, id, endpointId)
  const setStatus = (id: string, status: string) =>
    api.context.db('deliveries').where({ id }).update({ status })

  it('include message states if the endpoint opted in', async () => {
    expectAnswer(await client.put(`/v1/lines/${line.lineId}/connection`, { optInEvents: ['messageStatus'] }))
    await receiveForDelivery(api.context, line)
    const messageId = await queueMessage(api.context, line)
    await sendMessage(api.context, messageId)
    const [delivery, ...others] = await list('?type=messageStatus')
    expect(others).to.deep.equal([])
    expect(delivery).to.include({ messageId, type: 'messageStatus', fromNumber: ANNA, toNumber: line.number })
  })

  it('are returned in full, each with its attempts', async () => {
    const row = await receiveForDelivery(api.context, line)
    receiver.answerWith((response) => {
      response.statusCode = 503
      response.end('later')
    })
    await attempt(row)
    const { attempts = [], ...delivery } = await get(row.id)
    expect(delivery).to.include({
      id: row.id,
      lineId: line.lineId,
      eventId: row.event_id,
      url: receiver.url,
      type: 'inboundText',
      toNumber: line.number,
      status: 'pending',
      attemptCount: 1,
      lastFailure: 'http_503',
      deliveredAt: null,
    })
    expect(attempts).to.have.length(1)
    expect(attempts[0]).to.include({
      attemptNumber: 1,
      responseStatus: 503,
      responseExcerpt: 'later',
      failure: 'http_503',
      tlsMs: null,
    })
    expect(attempts[0]?.requestHeaders).to.include({ 'webhook-id': row.event_id })
    expect(attempts[0]?.responseHeaders).to.include({ 'content-length': '5' })
    expect(await list()).to.deep.equal([delivery])
    expectAnswer(await client.get(`/v1/messages/${String(delivery.messageId)}`))
  })

  it('are listed newest first, for all lines or one, by status, type, number and time', async () => {
    const first = await receiveForDelivery(api.context, line)
    const other = await createOwner(api, { userId: line.userId, outgoingUrl: receiver.url })
    const second = await receiveForDelivery(api.context, other.line)
    await setStatus(second.id, 'exhausted')
    const both = [second.id, first.id]
    for (const [query, expected] of [
      ['', both],
      [`?lineId=${line.lineId}`, [first.id]],
      ['?status=exhausted', [second.id]],
      ['?type=voiceMail', []],
      ['?number=%2B15005550102', []],
      [`?until=${new Date(0).toISOString()}`, []],
      [`?from=${new Date(0).toISOString()}`, both],
    ] as const) {
      expect(await idsOf(query), query).to.deep.equal(expected)
    }
  })

  for (const [query, detail] of [
    ['status=sent', /^status must be one of pending, /],
    ['type=text', /^type must be one of inboundText, /],
    ['from=x&until=y', /from must .*until must |until must .*from must /],
    ['status=held&status=held', /^status can be given only once/],
  ] as const) {
    it(`refuse ?${query}`, async () => {
      expectProblem(await client.get(`/v1/deliveries?${query}`), 400, detail)
    })
  }

  it('are sent again in a new round, with the same webhook-id', async () => {
    const row = await receiveForDelivery(api.context, line)
    const sendAgain = () => client.post(`/v1/deliveries/${row.id}/send-again`)
    await attempt(row)
    expect(expectAnswer(await sendAgain())).to.include({ id: row.id, status: 'pending' })
    expectProblem(await sendAgain(), 409, /in progress/)
    await attempt(row)
    const { attempts = [], ...delivery } = await get(row.id)
    expect(delivery).to.include({ status: 'delivered', attemptCount: 2 })
    expect(attempts.map(({ attemptNumber }) => attemptNumber)).to.deep.equal([1, 2])
    const ids = receiver.requests.map(({ headers }) => headers['webhook-id'])
    expect(ids).to.deep.equal([row.event_id, row.event_id])
  })
})
