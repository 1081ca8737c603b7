import { expect } from 'chai'
import { getEndpoint } from '../../../src/domain/endpoints/own-endpoint.js'
import { tryDeliveryNow, tryEndpointNow } from '../../../src/domain/endpoints/deliveries/try-now.js'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import {
  countMessagesToTry,
  tryLineMessagesNow,
  tryMessageNow,
} from '../../../src/domain/messages/try-now.js'
import { ownerOf, pauseEndpoint, resumeEndpoint } from '../../../src/domain/operating/pauses.js'
import { tryJobNow } from '../../../src/domain/try-job-now.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, own, type TestLine } from '../../helpers/factories.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { openForSuite } from '../../helpers/suite.js'
import { until } from '../../helpers/until.js'
import { connect, createApplication } from '../applications/applications.js'
import {
  deliveryRow,
  hasDeliveryJob,
  messageRow,
  queueMessage,
  queueMessages,
  receiveForDelivery,
} from '../fixtures.js'
import { refusal } from '../refusal.js'

describeContext('trying now', (context) => {
  const receiver = openForSuite(startReceiver)
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { outgoingUrl: receiver.url })
  })

  const inAnHour = () => context.db.raw(`now() + interval '1 hour'`)
  /** An event whose next attempt is due in an hour. */
  async function waitingEvent() {
    const delivery = await receiveForDelivery(context, line)
    await context
      .db('deliveries')
      .where({ id: delivery.id })
      .update({ due_at: inAnHour(), attempt_count: 3, round_attempt_count: 3, last_failure: 'http_500' })
    return delivery
  }
  const isDue = async (id: string) =>
    (await context.db('deliveries').where({ id }).whereRaw('due_at <= now()').first('id')) !== undefined

  it('makes the next attempt of an event, which is one of those that it has', async () => {
    const { id, endpoint_id: endpointId } = await waitingEvent()
    expect(await deliver(context, id, endpointId)).to.include({ kind: 'early' })
    expect(await tryDeliveryNow(context, line.userId, id)).to.include({ status: 'pending' })
    await until('it has a job', () => hasDeliveryJob(context, id, 1))
    receiver.answerWith((response) => response.writeHead(500).end())
    await deliver(context, id, endpointId)
    receiver.answerWith((response) => response.end())
    expect(await deliveryRow(context, id)).to.include({
      attempt_count: 4,
      round_attempt_count: 4,
      status: 'pending',
    })
    expect(await isDue(id)).to.equal(false)
    await tryDeliveryNow(context, line.userId, id)
    await deliver(context, id, endpointId)
    expect(await deliveryRow(context, id)).to.include({ attempt_count: 5, status: 'delivered' })
  })

  it('is for what waits for a time, of the user’s own, and not while it is paused', async () => {
    const { id } = await waitingEvent()
    expect(await refusal(tryDeliveryNow(context, newId(), id))).to.include({ status: 404 })
    await pauseEndpoint(context, ownerOf(line.userId), await getEndpoint(context, ...own(line)))
    for (const paused of [tryDeliveryNow(context, line.userId, id), tryEndpointNow(context, ...own(line))]) {
      expect(await refusal(paused)).to.deep.equal({
        status: 409,
        message: 'the events to this URL are paused: resume them first',
      })
    }
    await resumeEndpoint(context, ownerOf(line.userId), await getEndpoint(context, ...own(line)))
    for (const status of ['delivering', 'delivered', 'exhausted', 'held']) {
      await context.db('deliveries').where({ id }).update({ status })
      expect(await refusal(tryDeliveryNow(context, line.userId, id)), status).to.include({ status: 409 })
    }
    expect(await deliveryRow(context, id)).to.include({ job_generation: 0 })
  })

  it('takes all that waits at an endpoint, and nothing of another one', async () => {
    const application = await createApplication(context, { userId: line.userId, webhookUrl: receiver.url })
    await connect(context, application, line)
    const [first, second] = [await waitingEvent(), await waitingEvent()]
    await context
      .db('deliveries')
      .whereNot({ endpoint_id: first.endpoint_id })
      .where({ line_id: line.lineId })
      .update({ due_at: inAnHour() })
    expect(await tryEndpointNow(context, ...own(line))).to.equal(2)
    expect([await isDue(first.id), await isDue(second.id)]).to.deep.equal([true, true])
    expect(await tryEndpointNow(context, ...own(line))).to.equal(0)
    expect(await tryEndpointNow(context, ...own(application))).to.equal(2)
  })

  it('takes a message that waits until its carrier is tried again, and no other', async () => {
    const id = await queueMessage(context, line)
    expect(await refusal(tryMessageNow(context, line.userId, id))).to.include({ status: 409 })
    await context.db('messages').where({ id }).update({ not_before: inAnHour(), due_at: inAnHour() })
    expect(await refusal(tryMessageNow(context, newId(), id))).to.include({ status: 404 })
    expect(await tryMessageNow(context, line.userId, id)).to.include({ id, status: 'queued' })
    expect(await messageRow(context, id)).to.include({ not_before: null, job_generation: 1 })
  })

  it('takes all of a line that wait for their carrier, in their order, and leaves the others', async () => {
    const ids = await queueMessages(context, line, 3)
    const waiting = ids.slice(0, 2)
    await context.db('messages').whereIn('id', waiting).update({ not_before: inAnHour(), due_at: inAnHour() })
    expect(await countMessagesToTry(context, line.lineId)).to.equal(2)
    expect(await refusal(tryLineMessagesNow(context, newId(), line.lineId))).to.include({ status: 404 })
    expect(await tryLineMessagesNow(context, line.userId, line.lineId)).to.equal(2)
    const rows = await context
      .db('messages')
      .whereIn('id', ids)
      .orderBy('id')
      .select('not_before', 'job_generation')
    expect(rows).to.deep.equal([1, 1, 0].map((job_generation) => ({ not_before: null, job_generation })))
    expect(await countMessagesToTry(context, line.lineId)).to.equal(0)
    expect(await tryLineMessagesNow(context, line.userId, line.lineId)).to.equal(0)
  })

  it('is what an operator does who promotes a job', async () => {
    const { id } = await waitingEvent()
    await tryJobNow(context, 'deliver-event', id)
    expect(await isDue(id)).to.equal(true)
    const messageId = await queueMessage(context, line)
    await context.db('messages').where({ id: messageId }).update({ not_before: inAnHour() })
    await tryJobNow(context, 'send-message', messageId)
    expect(await messageRow(context, messageId)).to.include({ not_before: null })
    for (const queue of ['send-message', 'deliver-event', 'maintenance'] as const) {
      await tryJobNow(context, queue, newId())
    }
  })
})
