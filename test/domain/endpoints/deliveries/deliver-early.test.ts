import { expect } from 'chai'
import type { Context } from '../../../../src/domain/context.js'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { deliveryRow, deliverWhenDue, receiveForDelivery, type DeliveryRow } from '../../fixtures.js'

describeContext('a job of a delivery whose time is another by the clock of its worker', (context) => {
  const receiver = openForEachTest(startReceiver)
  let delivery: DeliveryRow

  beforeEach(async () => {
    delivery = await receiveForDelivery(context, await createLine(context, { outgoingUrl: receiver.url }))
  })

  it('does nothing when it comes before the retry is due, and says for how long', async () => {
    receiver.answerWith((response) => response.writeHead(500).end())
    const first = await deliver(context, delivery.id, delivery.endpoint_id)
    if (first.kind !== 'retry') throw new Error(first.kind)
    const early = await deliver(context, delivery.id, delivery.endpoint_id)
    if (early.kind !== 'early') throw new Error(early.kind)
    expect(early.ms).to.be.within(1, first.ms)
    expect(receiver.requests).to.have.length(1)
    expect(await deliveryRow(context, delivery.id)).to.include({ status: 'pending', attempt_count: 1 })
    expect(await deliverWhenDue(context, delivery.id, delivery.endpoint_id)).to.include({ kind: 'retry' })
  })

  it('sends nothing when its process was stopped after the claim, and uses up no attempt', async () => {
    const realNow = performance.now.bind(performance)
    const deliverNext: Context['batched']['deliverNext'] = async (step) => {
      const answer = await context.batched.deliverNext(step)
      performance.now = () => realNow() + 30_000
      return answer
    }
    const stopped = { ...context, batched: { ...context.batched, deliverNext } }
    try {
      expect(await deliver(stopped, delivery.id, delivery.endpoint_id)).to.deep.equal({
        kind: 'early',
        ms: 0,
      })
    } finally {
      performance.now = realNow
    }
    expect(receiver.requests).to.have.length(0)
    expect(await deliveryRow(context, delivery.id)).to.include({ status: 'pending', round_attempt_count: 0 })
    expect(await deliver(context, delivery.id, delivery.endpoint_id)).to.deep.equal({ kind: 'delivered' })
  })

  it('signs with the time of Postgres, which receivers compare with theirs', async () => {
    const deliverNext: Context['batched']['deliverNext'] = async (step) => {
      const answer = await context.batched.deliverNext(step)
      const deliveries = answer.deliveries.map((claimed) => {
        expect(Math.abs(claimed.claimedAt.getTime() - Date.now())).to.be.below(60_000)
        return { ...claimed, claimedAt: new Date('2026-01-02T03:04:05Z') }
      })
      return { ...answer, deliveries }
    }
    const other = { ...context, batched: { ...context.batched, deliverNext } }
    expect(await deliver(other, delivery.id, delivery.endpoint_id)).to.deep.equal({ kind: 'delivered' })
    expect(receiver.requests[0]!.headers['webhook-timestamp']).to.equal('1767323045')
  })
})
