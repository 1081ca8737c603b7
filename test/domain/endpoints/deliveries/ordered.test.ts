import { expect } from 'chai'
import type { ServerResponse } from 'node:http'
import { findIdleLanes } from '../../../../src/database/endpoints/deliveries/stranded.js'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { runLane } from '../../../../src/domain/endpoints/deliveries/lane.js'
import { changePolicy } from '../../../../src/domain/endpoints/policies.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, own, type TestLine } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { until } from '../../../helpers/until.js'
import { ANNA, BEN, deliveryRow, inboundText, makeOverdue, type DeliveryRow } from '../../fixtures.js'

describeContext('an endpoint that wants the events of each number in order', (context) => {
  const receiver = openForEachTest(startReceiver)
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { outgoingUrl: receiver.url })
    await changePolicy(context, ...own(line), { ordered: true })
  })

  async function receive(fromNumber: string, text: string): Promise<DeliveryRow> {
    const outcome = await receiveMessage(context, {
      ...inboundText(line),
      fromNumber,
      content: { type: 'inboundText', text },
    })
    if (outcome.kind !== 'received') throw new Error('the carrier id was not new')
    return context
      .db('deliveries as d')
      .join('events as e', 'e.id', 'd.event_id')
      .where({ 'e.message_id': outcome.messageId })
      .first<DeliveryRow>('d.*')
  }
  const texts = () => receiver.requests.map(({ body }) => (JSON.parse(body) as { payload: string }).payload)
  const run = ({ endpoint_id: endpointId, id }: DeliveryRow) => runLane(context, endpointId, id)

  it('gets one at a time of each, while those of others go on, and the next as soon as one is taken', async () => {
    const held: ServerResponse[] = []
    receiver.answerWith((response, { body }) => {
      if (body.includes('"Anna 1"')) held.push(response)
      else response.end()
    })
    const first = await receive(ANNA, 'Anna 1')
    const others: DeliveryRow[] = []
    // More than the endpoint has places.
    for (let n = 2; n <= 14; n += 1) others.push(await receive(ANNA, `Anna ${n}`))
    for (let n = 1; n <= 3; n += 1) others.push(await receive(BEN, `Ben ${n}`))
    const running = run(first)
    await until('those of Ben are taken', () => texts().includes('Ben 3'))
    expect(texts().filter((text) => text.startsWith('Ben'))).to.deep.equal(['Ben 1', 'Ben 2', 'Ben 3'])
    expect(texts().filter((text) => text.startsWith('Anna'))).to.deep.equal(['Anna 1'])
    const [second] = others
    expect(await deliveryRow(context, second!.id)).to.include({
      status: 'pending',
      attempt_count: 0,
      last_failure: 'earlier_event_waits',
    })
    expect(await deliver(context, second!.id, second!.endpoint_id)).to.include({ kind: 'early' })

    for (const response of held) response.end()
    await running
    expect(texts().filter((text) => text.startsWith('Anna'))).to.deep.equal(
      Array.from({ length: 14 }, (_, n) => `Anna ${n + 1}`),
    )
    for (const { id } of others) {
      expect(await deliveryRow(context, id)).to.include({ status: 'delivered', last_failure: null })
    }
  })

  it('waits for the repeat of one that failed, without looking stranded, and goes on when it is given up', async () => {
    receiver.answerWith((response) => response.writeHead(500).end())
    const first = await receive(ANNA, 'one')
    const second = await receive(ANNA, 'two')
    const dueInMs = await run(first)
    expect(texts()).to.deep.equal(['one'])
    expect(dueInMs).to.be.within(1, 10_000)
    const [earlier, later] = [await deliveryRow(context, first.id), await deliveryRow(context, second.id)]
    expect(later.due_at.getTime()).to.be.at.least(earlier.due_at.getTime())
    const idle = await findIdleLanes(context.db, 1000, 100)
    expect(idle.map(({ endpointId }) => endpointId)).not.to.include(first.endpoint_id)

    // What was parked looks again by itself, and parks again.
    await makeOverdue(context, 'deliveries', [second.id])
    await run(first)
    expect(texts()).to.deep.equal(['one'])

    await changePolicy(context, ...own(line), { retrySchedule: [] })
    await makeOverdue(context, 'deliveries', [first.id])
    receiver.answerWith((response, { body }) => response.writeHead(body.includes('one') ? 400 : 200).end())
    await run(first)
    expect(texts()).to.deep.equal(['one', 'one', 'two'])
    expect(await deliveryRow(context, first.id)).to.include({ status: 'exhausted' })
    expect(await deliveryRow(context, second.id)).to.include({ status: 'delivered' })
  })
})
