import { expect } from 'chai'
import { disableConnection } from '../../../../src/domain/lines/connections.js'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { sendDeliveryAgain } from '../../../../src/domain/endpoints/deliveries/send-again.js'
import { newId } from '../../../../src/ids.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForSuite } from '../../../helpers/suite.js'
import { until } from '../../../helpers/until.js'
import { deliveryRow, hasDeliveryJob, receiveForDelivery, type DeliveryRow } from '../../fixtures.js'
import { refusal } from '../../refusal.js'

describeContext('sending a delivery again', (context) => {
  const receiver = openForSuite(startReceiver)
  let line: TestLine
  let delivery: DeliveryRow

  beforeEach(async () => {
    line = await createLine(context, { outgoingUrl: receiver.url })
    delivery = await receiveForDelivery(context, line)
  })

  const again = (userId = line.userId, id = delivery.id) => sendDeliveryAgain(context, userId, id)
  const become = (changes: Record<string, unknown>) =>
    context.db('deliveries').where({ id: delivery.id }).update(changes)

  for (const status of ['delivered', 'exhausted', 'held']) {
    it(`gives one that is ${status} a new round of attempts`, async () => {
      await become({
        status,
        attempt_count: 9,
        round_attempt_count: 9,
        crash_count: 2,
        delivered_at: new Date(),
      })
      expect(await again()).to.include({
        id: delivery.id,
        status: 'pending',
        attemptCount: 9,
        deliveredAt: null,
      })
      expect(await deliveryRow(context, delivery.id)).to.include({
        round_attempt_count: 0,
        crash_count: 0,
        job_generation: 1,
      })
      await until('it has a job', () => hasDeliveryJob(context, delivery.id, 1))
      expect(await deliver(context, delivery.id, delivery.endpoint_id)).to.deep.equal({ kind: 'delivered' })
      expect(await deliveryRow(context, delivery.id)).to.include({ status: 'delivered', attempt_count: 10 })
    })
  }

  it('keeps its webhook-id, so that the receiver knows it again', async () => {
    const seen = receiver.requests.length
    await deliver(context, delivery.id, delivery.endpoint_id)
    await again()
    await deliver(context, delivery.id, delivery.endpoint_id)
    const ids = receiver.requests.slice(seen).map(({ headers }) => headers['webhook-id'])
    expect(ids).to.deep.equal([delivery.event_id, delivery.event_id])
  })

  for (const status of ['pending', 'delivering']) {
    it(`is refused while it is ${status}`, async () => {
      await become({ status })
      expect(await refusal(again())).to.include({ status: 409 })
      expect(await deliveryRow(context, delivery.id)).to.include({ status, job_generation: 0 })
    })
  }

  it('is done once by two requests at the same moment', async () => {
    await become({ status: 'exhausted' })
    const results = await Promise.allSettled([again(), again()])
    expect(results.filter((result) => result.status === 'fulfilled')).to.have.length(1)
    expect(await deliveryRow(context, delivery.id)).to.include({ job_generation: 1 })
  })

  it('holds it while the connection is off', async () => {
    await become({ status: 'exhausted' })
    await disableConnection(context, line.userId, line.lineId)
    await again()
    expect(await deliver(context, delivery.id, delivery.endpoint_id)).to.deep.equal({ kind: 'held' })
  })

  it('is refused for another user’s delivery, and for none', async () => {
    await become({ status: 'exhausted' })
    const { userId } = await createLine(context)
    for (const [user, id] of [
      [userId, delivery.id],
      [line.userId, newId()],
      [line.userId, 'x'],
    ] as const) {
      expect(await refusal(again(user, id))).to.deep.equal({ status: 404, message: 'no such delivery' })
    }
    expect(await deliveryRow(context, delivery.id)).to.include({ status: 'exhausted' })
  })
})
