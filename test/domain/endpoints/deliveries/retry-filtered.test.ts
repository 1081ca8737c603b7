import { expect } from 'chai'
import { runLane } from '../../../../src/domain/endpoints/deliveries/lane.js'
import { startRetry } from '../../../../src/domain/endpoints/deliveries/retry-filtered.js'
import { forgetPerson } from '../../../../src/domain/people/forget.js'
import { describeContext } from '../../../helpers/context.js'
import { lineForEachTest } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { ANNA, changeRows, deliveryRow, receiveForDelivery, type DeliveryRow } from '../../fixtures.js'
import { goOn } from '../../operating/tasks.js'
import { expectRefusal } from '../../refusal.js'

describeContext('retrying undelivered events', (context) => {
  const receiver = openForEachTest(startReceiver)
  const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))
  let row: DeliveryRow

  beforeEach(async () => {
    row = await receiveForDelivery(context, line)
    await changeRows(context, 'deliveries', row.id, { status: 'exhausted', last_failure: 'http_500' })
  })

  const start = () => startRetry(context, line.userId, {})

  /** Nothing of the event is left, so it must not go out. */
  async function expectNothingSent(): Promise<void> {
    await runLane(context, row.endpoint_id, row.id)
    expect(receiver.requests).to.deep.equal([])
    expect(await deliveryRow(context, row.id)).to.include({ status: 'exhausted', last_failure: 'http_500' })
  }

  it('sends them', async () => {
    expect(await goOn(context, await start())).to.include({ status: 'done', doneCount: 1 })
    await runLane(context, row.endpoint_id, row.id)
    expect(receiver.requests).to.have.length(1)
  })

  it('leaves out those of people who were forgotten', async () => {
    await forgetPerson(context, ANNA, 'ticket 1')
    await expectRefusal(start(), 409)
    await expectNothingSent()
  })

  it('leaves out those of people who are forgotten while it runs', async () => {
    const task = await start()
    await forgetPerson(context, ANNA, 'ticket 1')
    expect(await goOn(context, task)).to.include({ status: 'done' })
    await expectNothingSent()
  })
})
