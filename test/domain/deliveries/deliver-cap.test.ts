import { expect } from 'chai'
import type { ServerResponse } from 'node:http'
import type { Context } from '../../../src/domain/context.js'
import { startProxy, type Proxy } from '../../database/proxy.js'
import { createTestContext } from '../../helpers/context.js'
import { createLine } from '../../helpers/factories.js'
import { startReceiver, type Receiver } from '../../helpers/receiver.js'
import { createTestDatabase } from '../../helpers/services.js'
import { until } from '../../helpers/until.js'
import {
  attemptRows,
  deliveryRow,
  dueAfterMs,
  receiveForDelivery,
  receiveManyForDelivery,
  deliverWhenDue,
} from '../fixtures.js'

describe('requests to one endpoint at the same time', () => {
  let context: Context
  let proxy: Proxy
  let hanging: Receiver
  let answering: Receiver
  let held: ServerResponse[]

  before(async () => {
    proxy = await startProxy(await createTestDatabase())
    context = await createTestContext({ ENDPOINT_MAX_IN_FLIGHT: '2', DATABASE_URL: proxy.url })
  })
  after(async () => {
    await context.close()
    await proxy.close()
  })
  beforeEach(async () => {
    held = []
    hanging = await startReceiver()
    answering = await startReceiver()
    hanging.answerWith((response) => held.push(response))
  })
  afterEach(() => Promise.all([hanging.close(), answering.close()]))

  it('are capped; the rest come back later without an attempt, and other endpoints are not held up', async () => {
    const deliveries = await receiveManyForDelivery(
      context,
      await createLine(context, { outgoingUrl: hanging.url }),
      6,
    )
    const [first, second, ...rest] = deliveries
    const underWay = [first!, second!].map(({ id, endpoint_id: endpointId }) =>
      deliverWhenDue(context, id, endpointId),
    )
    await until('two requests hang', () => held.length === 2)

    for (const { id, endpoint_id: endpointId } of rest) {
      const since = Date.now()
      const outcome = await deliverWhenDue(context, id, endpointId)
      if (outcome.kind !== 'full') throw new Error(outcome.kind)
      expect(outcome.ms).to.be.within(200, 1200)
      expect(await deliveryRow(context, id)).to.include({
        status: 'pending',
        attempt_count: 0,
        round_attempt_count: 0,
      })
      expect(await attemptRows(context, id)).to.deep.equal([])
      expect(await dueAfterMs(context, 'deliveries', id, since)).to.be.within(
        outcome.ms - 5,
        outcome.ms + 10_000,
      )
    }
    const other = await receiveForDelivery(context, await createLine(context, { outgoingUrl: answering.url }))
    expect(await deliverWhenDue(context, other.id, other.endpoint_id)).to.deep.equal({ kind: 'delivered' })
    expect(held).to.have.length(2)

    for (const response of held) response.end()
    expect(await Promise.all(underWay)).to.deep.equal([{ kind: 'delivered' }, { kind: 'delivered' }])
    hanging.answerWith((response) => response.end())
    for (const { id, endpoint_id: endpointId } of rest) {
      expect(await deliverWhenDue(context, id, endpointId)).to.deep.equal({ kind: 'delivered' })
      expect(await deliveryRow(context, id)).to.include({ attempt_count: 1 })
    }
  })

  it('give their place back whatever comes of them', async () => {
    const [first, second, third] = await receiveManyForDelivery(
      context,
      await createLine(context, { outgoingUrl: hanging.url }),
      3,
    )
    hanging.answerWith((response) => response.destroy())
    for (const { id, endpoint_id: endpointId } of [first!, second!, third!]) {
      expect(await deliverWhenDue(context, id, endpointId)).to.include({ kind: 'retry' })
    }
  })

  it('are written down once Postgres is back, when it was away at their end', async () => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(
      context,
      await createLine(context, { outgoingUrl: hanging.url }),
    )
    const delivering = deliverWhenDue(context, id, endpointId)
    await until('the request hangs', () => held.length === 1)
    const refusedBefore = proxy.refusedCount
    proxy.goDown()
    try {
      held[0]!.end()
      await until('a try to write it was refused', () => proxy.refusedCount > refusedBefore)
    } finally {
      proxy.goUp()
    }
    expect(await delivering).to.deep.equal({ kind: 'delivered' })
    expect(await deliveryRow(context, id)).to.include({ status: 'delivered', attempt_count: 1 })
    expect(hanging.requests).to.have.length(1)
  })

  it('that find the endpoint full while Postgres is away say so by its name', async () => {
    const [first, second, third] = await receiveManyForDelivery(
      context,
      await createLine(context, { outgoingUrl: hanging.url }),
      3,
    )
    const underWay = [first!, second!].map(({ id, endpoint_id: endpointId }) =>
      deliverWhenDue(context, id, endpointId),
    )
    await until('two requests hang', () => held.length === 2)
    proxy.goDown()
    try {
      const thrown: unknown = await deliverWhenDue(context, third!.id, third!.endpoint_id).catch(
        (error: unknown) => error,
      )
      expect(thrown).to.have.property('name', 'Unavailable')
    } finally {
      proxy.goUp()
    }
    for (const response of held) response.end()
    await Promise.all(underWay)
  })
})
