import { expect } from 'chai'
import { runLane } from '../../../../src/domain/endpoints/deliveries/lane.js'
import { startRetry } from '../../../../src/domain/endpoints/deliveries/retry-filtered.js'
import { addEndpoint, deleteEndpoint } from '../../../../src/domain/endpoints/endpoints.js'
import { timeOfId } from '../../../../src/ids.js'
import { forgetPerson } from '../../../../src/domain/people/forget.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, lineForEachTest } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import {
  addUndelivered,
  ANNA,
  changeRows,
  deliveryRow,
  receiveForDelivery,
  type DeliveryRow,
  addCopies,
} from '../../fixtures.js'
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

  const start = async () => (await startRetry(context, line.userId, {})).task

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

  it('sends them in the order in which they were made', async () => {
    await addUndelivered(context, row, 59)
    const idsBy = (column: string) =>
      context.db('deliveries').where({ line_id: line.lineId }).orderBy(column).pluck<string[]>('id')
    expect(await goOn(context, await start())).to.include({ doneCount: 60 })
    expect(await idsBy('due_at')).to.deep.equal(await idsBy('id'))
  })

  it('finds those that are over in a history of any length, and says when it did not look at all of it', async () => {
    for (let count = 1; count < 20; count++) await createLine(context, { userId: line.userId })
    const waiting = await receiveForDelivery(context, line)
    await changeRows(context, 'deliveries', waiting.id, { last_failure: 'http_500' })
    const newer = await receiveForDelivery(context, line)
    // Of twenty lines each has a thousand rows searched at once. These are newer by more than clocks may differ.
    const later = `now() + interval '2 minutes' + n * interval '1 ms'`
    await addCopies(context, 'deliveries', newer.id, 10_000, {
      ...{ id: `lowest_id_at(${later})`, created_at: later, status: `'delivered'` },
    })
    const { task, isLookedThroughInPart } = await startRetry(context, line.userId, {})
    expect([task.totalCount, isLookedThroughInPart]).to.deep.equal([1, true])
    expect(await startRetry(context, line.userId, { until: timeOfId(newer.id) })).to.deep.include({
      isLookedThroughInPart: false,
    })
    await changeRows(context, 'deliveries', row.id, { status: 'delivered' })
    await expectRefusal(
      start(),
      409,
      'No undelivered event matches this filter among the newest messages. Choose a status or an earlier time',
    )
  })

  for (const [many, isFull] of [
    [4999, false],
    [5000, true],
  ] as const) {
    it(`takes 5,000 of ${(many + 1).toLocaleString('en')}, and says ${isFull ? 'that there are more' : 'nothing'}`, async () => {
      await addUndelivered(context, row, many)
      const started = await startRetry(context, line.userId, {})
      expect([started.task.totalCount, started.isFull]).to.deep.equal([5000, isFull])
    })
  }

  it('leaves out those of people who were forgotten', async () => {
    await forgetPerson(context, ANNA, 'ticket 1')
    await expectRefusal(start(), 409)
    await expectNothingSent()
  })

  it('leaves out those whose endpoint is deleted, also while it runs', async () => {
    const { endpoint } = await addEndpoint(
      context,
      line.userId,
      { lineId: line.lineId },
      { url: receiver.url },
    )
    await changeRows(context, 'deliveries', row.id, { endpoint_id: endpoint.id })
    const task = await start()
    await deleteEndpoint(context, { userId: line.userId }, endpoint.id)
    expect(await goOn(context, task)).to.include({ status: 'done' })
    expect(await deliveryRow(context, row.id)).to.include({ status: 'exhausted', last_failure: 'http_500' })
    await expectRefusal(start(), 409, 'No undelivered event matches this filter')
  })

  it('leaves out those of people who are forgotten while it runs', async () => {
    const task = await start()
    await forgetPerson(context, ANNA, 'ticket 1')
    expect(await goOn(context, task)).to.include({ status: 'done' })
    await expectNothingSent()
  })
})
