import { expect } from 'chai'
import {
  disableConnection,
  enableConnection,
  setLineEndpointUrl,
} from '../../../../src/domain/lines/connections.js'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { sendHeldEvents } from '../../../../src/domain/endpoints/deliveries/held-events.js'
import { revealSigningSecret } from '../../../../src/domain/endpoints/signing-secrets.js'
import { addUser } from '../../../../src/domain/people/users.js'
import { listTasksOf } from '../../../../src/domain/operating/tasks.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, own, type TestLine } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForSuite } from '../../../helpers/suite.js'
import {
  deliveryRow,
  dueInMs,
  hasDeliveryJob,
  receiveForDelivery,
  receiveManyForDelivery,
  type DeliveryRow,
} from '../../fixtures.js'
import { refusal } from '../../refusal.js'
import { goOn } from '../../operating/tasks.js'

describeContext('sending the events that were held', (context) => {
  const receiver = openForSuite(startReceiver)
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { outgoingUrl: receiver.url })
  })

  const sendHeld = () => sendHeldEvents(context, ...own(line))
  const setDisabled = (reason: 'gone' | 'failing' | null) =>
    context
      .db('endpoints')
      .where({ user_id: line.userId })
      .update({ disabled_at: reason && context.db.fn.now(), disabled_reason: reason })

  async function holdMany(count: number): Promise<DeliveryRow> {
    const delivery = await receiveForDelivery(context, line)
    await context.db('deliveries').where({ id: delivery.id }).update({ status: 'held' })
    await context.db.raw(
      `insert into deliveries (id, user_id, line_id, event_id, endpoint_id, status, type, from_number)
       select overlay(uuidv7()::text placing lpad(to_hex(n), 8, '0') from 29)::uuid, ?, ?, ?, ?, 'held', 'inboundText', 'x'
       from generate_series(2, ?) n`,
      [line.userId, line.lineId, delivery.event_id, delivery.endpoint_id, count],
    )
    return delivery
  }

  it('gives their endpoint a job, and each a new round of attempts', async () => {
    await setDisabled('failing')
    const deliveries = await receiveManyForDelivery(context, line, 3)
    await context
      .db('deliveries')
      .where({ id: deliveries[0]!.id })
      .update({ attempt_count: 7, round_attempt_count: 7, crash_count: 3 })
    await setDisabled(null)
    expect(await sendHeld()).to.equal(3)
    expect(await hasDeliveryJob(context, deliveries[0]!.id, 1)).to.equal(true)
    for (const { id, endpoint_id: endpointId } of deliveries) {
      expect(await deliveryRow(context, id)).to.include({
        status: 'pending',
        round_attempt_count: 0,
        crash_count: 0,
        job_generation: 1,
      })
      expect(await dueInMs(context, 'deliveries', id)).to.be.below(1)
      expect(await deliver(context, id, endpointId)).to.deep.equal({ kind: 'delivered' })
    }
    expect(await deliveryRow(context, deliveries[0]!.id)).to.include({
      attempt_count: 8,
      round_attempt_count: 1,
    })
    expect(await sendHeld()).to.equal(0)
  })

  it('sends them to a URL that comes after one that was taken away, signed with the same secret', async () => {
    const { id, endpoint_id: endpointId } = await receiveForDelivery(context, line)
    await setLineEndpointUrl(context, line.userId, line.lineId, undefined)
    expect(await deliver(context, id, endpointId)).to.deep.equal({ kind: 'held' })
    await setLineEndpointUrl(context, line.userId, line.lineId, `${receiver.url}/other`)
    expect(await revealSigningSecret(context, ...own(line))).to.equal(line.signingSecret)
    expect(await sendHeld()).to.equal(1)
    expect(await deliver(context, id, endpointId)).to.deep.equal({ kind: 'delivered' })
  })

  it('goes on batch after batch, as a background task', async () => {
    const { event_id: eventId } = await holdMany(1234)
    expect(await sendHeld()).to.equal(1234)
    const [work] = await listTasksOf(context, line.userId, { limit: 1 })
    expect(work).to.include({ kind: 'held_events', totalCount: 1234, doneCount: 0 })
    expect(await goOn(context, work!, 1)).to.include({ status: 'running', doneCount: 500 })
    expect(await goOn(context, work!)).to.include({ status: 'done', doneCount: 1234 })
    const statuses = await context
      .db('deliveries')
      .where({ event_id: eventId })
      .distinct()
      .pluck<string[]>('status')
    expect(statuses).to.deep.equal(['pending'])
  })

  it('leaves those that are not held, and those of other lines', async () => {
    const pending = await receiveForDelivery(context, line)
    const other = await createLine(context, { userId: line.userId, outgoingUrl: receiver.url })
    const otherHeld = await receiveForDelivery(context, other)
    await context.db('deliveries').where({ id: otherHeld.id }).update({ status: 'held' })
    expect(await sendHeld()).to.equal(0)
    expect(await deliveryRow(context, pending.id)).to.include({ job_generation: 0 })
    expect(await deliveryRow(context, otherHeld.id)).to.include({ status: 'held' })
  })

  it('leaves those that wait for a copy of their media: without it there is nothing to send', async () => {
    const { id } = await holdMany(1)
    await context.db('deliveries').where({ id }).update({ last_failure: 'media_too_large' })
    expect(await sendHeld()).to.equal(0)
    expect(await deliveryRow(context, id)).to.include({ status: 'held', job_generation: 0 })
  })

  it('ends although each is held again at once', async () => {
    const { endpoint_id: endpointId } = await holdMany(1200)
    // Workers that hold what is released, because the endpoint has just said that it is gone.
    const queues = {
      ...context.queues,
      enqueueDeliveries: async () => {
        await context.db('deliveries').where({ endpoint_id: endpointId }).update({ status: 'held' })
      },
    }
    expect(await sendHeldEvents({ ...context, queues }, ...own(line))).to.equal(1200)
    const [work] = await listTasksOf(context, line.userId, { limit: 1 })
    expect(await goOn({ ...context, queues }, work!)).to.include({ status: 'done', doneCount: 1200 })
  })

  it('is refused while the endpoint is disabled: they would only be held again', async () => {
    const { id } = await holdMany(1)
    await setDisabled('gone')
    expect(await refusal(sendHeld())).to.deep.equal({
      status: 409,
      message: 'the endpoint is disabled, because it failed: enable it again first',
    })
    expect(await deliveryRow(context, id)).to.include({ status: 'held' })
    await enableConnection(context, line.userId, line.lineId)
    expect(await sendHeld()).to.equal(1)
  })

  it('works again after the URL has been changed', async () => {
    await holdMany(1)
    await setDisabled('gone')
    await setLineEndpointUrl(context, line.userId, line.lineId, `${receiver.url}/new`)
    expect(await sendHeld()).to.equal(1)
  })

  it('is refused while the connection is disabled', async () => {
    await holdMany(1)
    await disableConnection(context, line.userId, line.lineId)
    expect(await refusal(sendHeld())).to.include({ status: 409 })
  })

  it('of another user is refused', async () => {
    const { id } = await holdMany(1)
    const stranger = await addUser(context, { email: 'held-stranger@example.com' })
    expect(await refusal(sendHeldEvents(context, { userId: stranger.id }, line.endpointId))).to.deep.equal({
      status: 404,
      message: 'no such endpoint',
    })
    expect(await deliveryRow(context, id)).to.include({ status: 'held' })
  })
})
