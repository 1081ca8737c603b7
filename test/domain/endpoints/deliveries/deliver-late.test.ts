import { expect } from 'chai'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { sweep } from '../../../../src/domain/sweep.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import {
  attemptRows,
  claimDelivery,
  deliveryRow,
  loseWorker,
  receiveForDelivery,
  type DeliveryRow,
} from '../../fixtures.js'

describeContext('the result of a delivery attempt that comes after its lease was over', (context) => {
  const receiver = openForEachTest(startReceiver)
  let delivery: DeliveryRow

  beforeEach(async () => {
    delivery = await receiveForDelivery(context, await createLine(context, { outgoingUrl: receiver.url }))
  })

  const attempt = () => deliver(context, delivery.id, delivery.endpoint_id)

  /** While the endpoint answers, the lease ends and the sweeper takes the delivery back. */
  function answerLate(status: number, meanwhile: () => Promise<unknown> = () => Promise.resolve()): void {
    receiver.answerWith((response) => {
      void loseWorker(context, 'deliveries', [delivery.id])
        .then(() => sweep(context))
        .then(meanwhile)
        .then(() => response.writeHead(status).end())
    })
  }

  async function failures(): Promise<(string | null)[]> {
    return (await attemptRows(context, delivery.id)).map(({ failure }) => failure)
  }

  it('counts when it is a success: the event is not delivered again', async () => {
    answerLate(200)
    expect(await attempt()).to.deep.equal({ kind: 'delivered' })
    expect(await deliveryRow(context, delivery.id)).to.include({ status: 'delivered', attempt_count: 1 })
    expect(await failures()).to.have.members(['worker_lost', null])
    expect(await attempt()).to.deep.equal({ kind: 'skipped' })
  })

  it('is recorded but changes nothing when it is a failure: the next attempt is due', async () => {
    answerLate(500)
    await attempt()
    expect(await deliveryRow(context, delivery.id)).to.include({
      status: 'pending',
      attempt_count: 1,
      last_failure: 'worker_lost',
    })
    expect(await failures()).to.have.members(['worker_lost', 'http_500'])
  })

  it('changes nothing about a later attempt that is under way', async () => {
    let isLater = false
    answerLate(200, async () => {
      if (isLater) return
      isLater = true
      await claimDelivery(context, delivery.id)
    })
    await attempt()
    expect(await deliveryRow(context, delivery.id)).to.include({ status: 'delivering', attempt_count: 2 })
    expect(await failures()).to.have.members(['worker_lost', null])
  })
})
