import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { deliver } from '../../../src/domain/deliveries/deliver.js'
import { countReplay, replayEvents, type ReplayOptions } from '../../../src/domain/deliveries/replay.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { startReceiver } from '../../helpers/receiver.js'
import { openForEachTest } from '../../helpers/suite.js'
import { deliveryRow, receiveForDelivery, type DeliveryRow } from '../fixtures.js'
import { refusal } from '../refusal.js'

describeContext('replaying events', (context) => {
  const receiver = openForEachTest(startReceiver)
  const target = openForEachTest(startReceiver)
  let line: TestLine
  let deliveries: DeliveryRow[]

  beforeEach(async () => {
    line = await createLine(context, { outgoingUrl: receiver.url })
    deliveries = []
    for (let n = 0; n < 3; n += 1) {
      const delivery = await receiveForDelivery(context, line)
      await deliver(context, delivery.id, delivery.endpoint_id)
      deliveries.push(delivery)
    }
  })

  const replay = (overrides: Partial<ReplayOptions> = {}) =>
    replayEvents(context, {
      filter: {
        from: new Date(Date.now() - 60_000),
        until: new Date(Date.now() + 60_000),
        lineId: line.lineId,
      },
      perSecond: 100,
      signal: new AbortController().signal,
      ...overrides,
    })
  const statuses = () =>
    Promise.all(deliveries.map(async ({ id }) => (await deliveryRow(context, id)).status))

  it('gives each delivery that is over a new round, with the same webhook-id, and leaves others alone', async () => {
    const [, , last] = deliveries
    await context.db('deliveries').where({ id: last!.id }).update({ status: 'delivering' })
    expect(await replay()).to.deep.equal({
      totalCount: 2,
      replayedCount: 2,
      failures: {},
      skipped: {},
      lastId: deliveries[1]!.id,
    })
    expect(await statuses()).to.deep.equal(['pending', 'pending', 'delivering'])
    await deliver(context, deliveries[0]!.id, deliveries[0]!.endpoint_id)
    expect(receiver.requests.at(-1)?.headers['webhook-id']).to.equal(deliveries[0]!.event_id)
  })

  it('to another URL: the same events in their order, signed, with webhook-replay, and no delivery changes', async () => {
    const done = await replay({ to: target.url })
    expect(done).to.include({ totalCount: 3, replayedCount: 3 })
    expect(target.requests.map(({ headers }) => headers['webhook-id'])).to.deep.equal(
      deliveries.map(({ event_id }) => event_id),
    )
    const { headers, body } = target.requests[0]!
    expect(headers['webhook-replay']).to.equal('true')
    expect(body).to.equal(receiver.requests[0]?.body)
    new Webhook(line.signingSecret).verify(body, headers as Record<string, string>)
    expect(receiver.requests[0]?.headers).not.to.have.property('webhook-replay')
    expect(await statuses()).to.deep.equal(['delivered', 'delivered', 'delivered'])
  })

  it('only those of the span, the line and the type', async () => {
    const past = { from: new Date(Date.now() - 60_000), until: new Date(Date.now() - 30_000) }
    const now = { from: past.from, until: new Date(Date.now() + 60_000), lineId: line.lineId }
    const count = (filter: ReplayOptions['filter']) => countReplay(context, { filter, to: target.url })
    expect(await count({ ...past, lineId: line.lineId })).to.equal(0)
    expect(await count(now)).to.equal(3)
    expect(await count({ ...now, type: 'voiceMail' })).to.equal(0)
    const other = await createLine(context, { outgoingUrl: receiver.url })
    expect(await count({ ...now, lineId: other.lineId })).to.equal(0)
  })

  it('stops at the signal, and says how far it came', async () => {
    const stopping = new AbortController()
    const done = await replay({
      to: target.url,
      signal: stopping.signal,
      onProgress: () => {
        stopping.abort()
      },
    })
    expect(done).to.include({ totalCount: 3, replayedCount: 1, stoppedBy: 'signal' })
    expect(done.lastId).to.equal(deliveries[0]!.event_id)
    expect(target.requests).to.have.length(1)
  })

  it('keeps its pace', async () => {
    const startedAt = performance.now()
    await replay({ to: target.url, perSecond: 10 })
    expect(performance.now() - startedAt).to.be.at.least(195)
  })

  it('counts failures by their names, and gives a URL up where nothing gets through', async () => {
    target.answerWith((response) => response.writeHead(500).end())
    expect(await replay({ to: target.url })).to.deep.include({ replayedCount: 0, failures: { http_500: 3 } })
    for (let n = 0; n < 9; n += 1) await receiveForDelivery(context, line)
    expect(await replay({ to: target.url })).to.deep.include({
      totalCount: 12,
      failures: { http_500: 10 },
      stoppedBy: 'failures',
    })
  })

  it('goes through the guarded door', async () => {
    const { message } = await refusal(replay({ to: 'http://10.0.0.1/events' }))
    expect(message).to.match(/^--to: The address 10\.0\.0\.1 is not on the public internet/)
    expect((await refusal(replay({ to: 'nowhere' }))).message).to.match(/^--to: This is not a URL/)
  })
})
