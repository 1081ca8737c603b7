import { expect } from 'chai'
import { restartDelivery } from '../../../../src/database/endpoints/deliveries/reading.js'
import { disableConnection, enableConnection } from '../../../../src/domain/lines/connections.js'
import { deliver } from '../../../../src/domain/endpoints/deliveries/deliver.js'
import { sendHeldEvents } from '../../../../src/domain/endpoints/deliveries/held-events.js'
import { listTasks } from '../../../../src/database/operating/tasks.js'
import { sendDeliveryAgain } from '../../../../src/domain/endpoints/deliveries/send-again.js'
import { newId } from '../../../../src/ids.js'
import { getEndpoint } from '../../../../src/domain/endpoints/get-endpoint.js'
import { tryDeliveryNow, tryEndpointNow } from '../../../../src/domain/endpoints/deliveries/try-now.js'
import {
  countMessagesToTry,
  tryLineMessagesNow,
  tryMessageNow,
} from '../../../../src/domain/messages/try-now.js'
import { ownerOf, pauseEndpoint, resumeEndpoint } from '../../../../src/domain/operating/pauses.js'
import { tryJobNow } from '../../../../src/domain/try-job-now.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, lineForEachTest, own } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForSuite } from '../../../helpers/suite.js'
import { until } from '../../../helpers/until.js'
import { expectRefusal, refusal } from '../../refusal.js'
import {
  changeRows,
  deliveryRow,
  dueInMs,
  hasDeliveryJob,
  receiveForDelivery,
  receiveManyForDelivery,
  type DeliveryRow,
  ahead,
  messageRow,
  queueMessage,
  queueMessages,
  addCopies,
} from '../../fixtures.js'
import { goOn } from '../../operating/tasks.js'
import { connect, createApplication } from '../../applications/applications.js'
import { failure } from '../../../helpers/failure.js'

const IS_DISABLED = 'The endpoint is disabled. Enable it first'

describeContext('sending the events that were held', (context) => {
  const receiver = openForSuite(startReceiver)

  const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))

  const sendHeld = () => sendHeldEvents(context, ...own(line))
  const setDisabled = (reason: 'gone' | 'failing' | null) =>
    changeRows(context, 'endpoints', line.endpointId, {
      disabled_at: reason && context.db.fn.now(),
      disabled_reason: reason,
    })

  async function holdMany(count: number): Promise<DeliveryRow> {
    const delivery = await receiveForDelivery(context, line)
    await changeRows(context, 'deliveries', delivery.id, { status: 'held' })
    await addCopies(context, 'deliveries', delivery.id, count - 1)
    return delivery
  }

  it('are not sent if that cannot be recorded in the audit log', async () => {
    const { id } = await receiveForDelivery(context, line)
    await changeRows(context, 'deliveries', id, { status: 'held' })
    await context.db.raw(`create function refuse() returns trigger language plpgsql as
      $$ begin raise exception 'no room'; end $$`)
    await context.db.raw(
      'create trigger refuse before insert on audit_log for each row execute function refuse()',
    )
    try {
      expect((await failure(sendHeld())).message).to.include('no room')
      expect(await deliveryRow(context, id)).to.include({ status: 'held' })
    } finally {
      await context.db.raw('drop function refuse() cascade')
    }
  })

  it('gives their endpoint a job, and each a new round of attempts', async () => {
    await setDisabled('failing')
    const deliveries = await receiveManyForDelivery(context, line, 3)
    await changeRows(context, 'deliveries', deliveries[0]!.id, {
      attempt_count: 7,
      round_attempt_count: 7,
      crash_count: 3,
    })
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

  it('goes on batch after batch, as a background task', async () => {
    const { event_id: eventId } = await holdMany(1234)
    expect(await sendHeld()).to.equal(1234)
    const [work] = await listTasks(context.db, line.userId, { limit: 1 })
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

  it('sends those too that came after they were counted', async () => {
    const { event_id: eventId } = await holdMany(500)
    const { rows } = await context.db.raw<{ rows: { id: string }[] }>(
      `select id from deliveries where event_id = ? order by id desc limit 1`,
      [eventId],
    )
    // Another one appears when the first batch is taken.
    await context.db.raw(
      `create function hold_one() returns trigger language plpgsql as $$ begin
         insert into deliveries (id, user_id, line_id, event_id, endpoint_id, status, type, from_number)
         select uuidv7(), user_id, line_id, event_id, endpoint_id, 'held', 'inboundText', 'x'
         from deliveries where id = '${rows[0]!.id}';
         return null;
       end $$;
       create trigger hold_one after insert on audit_log for each row execute function hold_one()`,
    )
    try {
      expect(await sendHeld()).to.equal(501)
    } finally {
      await context.db.raw('drop function hold_one() cascade')
    }
    const left = await context.db('deliveries').where({ event_id: eventId, status: 'held' }).pluck('id')
    expect(left).to.have.lengthOf(1)
    expect(await sendHeld()).to.equal(1)
  })

  it('starts no delivery whose event retention has deleted: it would only end again', async () => {
    const { id, event_id: eventId } = await receiveForDelivery(context, line)
    await changeRows(context, 'deliveries', id, { status: 'exhausted' })
    await context.db('events').where({ id: eventId }).delete()
    expect(await restartDelivery(context.db, line.userId, id)).to.be.undefined
    expect(await deliveryRow(context, id)).to.include({ status: 'exhausted', job_generation: 0 })
  })

  it('leaves those that are not held, and those of other lines', async () => {
    const pending = await receiveForDelivery(context, line)
    const other = await createLine(context, { userId: line.userId, outgoingUrl: receiver.url })
    const otherHeld = await receiveForDelivery(context, other)
    await changeRows(context, 'deliveries', otherHeld.id, { status: 'held' })
    expect(await sendHeld()).to.equal(0)
    expect(await deliveryRow(context, pending.id)).to.include({ job_generation: 0 })
    expect(await deliveryRow(context, otherHeld.id)).to.include({ status: 'held' })
  })

  it('leaves those that wait for a copy of their media: without it there is nothing to send', async () => {
    const { id } = await holdMany(1)
    await changeRows(context, 'deliveries', id, { last_failure: 'media_too_large' })
    expect(await sendHeld()).to.equal(0)
    expect(await deliveryRow(context, id)).to.include({ status: 'held', job_generation: 0 })
  })

  it('ends although each is held again at once', async () => {
    const { endpoint_id: endpointId } = await holdMany(1200)
    // Workers that hold what is released, because the endpoint has just said that it is gone.
    const queues = {
      ...context.queues,
      enqueueDeliveries: async () => {
        await changeRows(context, 'deliveries', { endpoint_id: endpointId }, { status: 'held' })
      },
    }
    expect(await sendHeldEvents({ ...context, queues }, ...own(line))).to.equal(1200)
    const [work] = await listTasks(context.db, line.userId, { limit: 1 })
    expect(await goOn({ ...context, queues }, work!)).to.include({ status: 'done', doneCount: 1200 })
  })

  it('is refused while the endpoint is disabled: they would only be held again', async () => {
    const { id } = await holdMany(1)
    await setDisabled('gone')
    const refused = sendHeld()
    await expectRefusal(refused, 409, 'The endpoint is disabled. Enable it first')
    expect(await deliveryRow(context, id)).to.include({ status: 'held' })
    await enableConnection(context, line.userId, line.lineId)
    expect(await sendHeld()).to.equal(1)
  })

  it('is refused while the connection is disabled', async () => {
    await holdMany(1)
    await disableConnection(context, line.userId, line.lineId)
    await expectRefusal(sendHeld(), 409)
  })

  describe('sending a delivery again', () => {
    let delivery: DeliveryRow

    beforeEach(async () => {
      delivery = await receiveForDelivery(context, line)
    })

    const again = (userId = line.userId, id = delivery.id) => sendDeliveryAgain(context, userId, id)
    const become = (changes: Record<string, unknown>) =>
      changeRows(context, 'deliveries', delivery.id, changes)

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
        await expectRefusal(again(), 409)
        expect(await deliveryRow(context, delivery.id)).to.include({ status, job_generation: 0 })
      })
    }

    it('is done once by two requests at the same moment', async () => {
      await become({ status: 'exhausted' })
      const results = await Promise.allSettled([again(), again()])
      expect(results.filter((result) => result.status === 'fulfilled')).to.have.length(1)
      expect(await deliveryRow(context, delivery.id)).to.include({ job_generation: 1 })
    })

    it('is refused for another user’s delivery, and for none', async () => {
      await become({ status: 'exhausted' })
      const { userId } = await createLine(context)
      for (const [user, id] of [
        [userId, delivery.id],
        [line.userId, newId()],
        [line.userId, 'x'],
      ] as const) {
        await expectRefusal(again(user, id), 404, 'No such delivery')
      }
      expect(await deliveryRow(context, delivery.id)).to.include({ status: 'exhausted' })
    })
  })

  describe('trying now', () => {
    const inAnHour = () => ahead(context, '1 hour')
    /** An event whose next attempt is due in an hour. */
    async function waitingEvent() {
      const delivery = await receiveForDelivery(context, line)
      await changeRows(context, 'deliveries', delivery.id, {
        due_at: inAnHour(),
        attempt_count: 3,
        round_attempt_count: 3,
        last_failure: 'http_500',
      })
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

    it('is for what waits for a time, of the user’s own, and not while it is paused or disabled', async () => {
      const { id } = await waitingEvent()
      await expectRefusal(tryDeliveryNow(context, newId(), id), 404)
      await pauseEndpoint(context, ownerOf(line.userId), await getEndpoint(context, ...own(line)))
      for (const paused of [
        () => tryDeliveryNow(context, line.userId, id),
        () => tryEndpointNow(context, ...own(line)),
      ]) {
        await expectRefusal(paused(), 409, 'Events to this URL are paused. Resume them first')
      }
      await resumeEndpoint(context, ownerOf(line.userId), await getEndpoint(context, ...own(line)))
      await setDisabled('gone')
      await expectRefusal(tryDeliveryNow(context, line.userId, id), 409, IS_DISABLED)
      await expectRefusal(tryEndpointNow(context, ...own(line)), 409, IS_DISABLED)
      await setDisabled(null)
      for (const status of ['delivering', 'delivered', 'exhausted', 'held']) {
        await changeRows(context, 'deliveries', id, { status })
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
      await expectRefusal(tryMessageNow(context, line.userId, id), 409)
      await changeRows(context, 'messages', id, { not_before: inAnHour(), due_at: inAnHour() })
      // It waits for room in a window, and would be told the same time again.
      await expectRefusal(tryMessageNow(context, line.userId, id), 409)
      await changeRows(context, 'messages', id, { error: 'throttled' })
      await expectRefusal(tryMessageNow(context, newId(), id), 404)
      expect(await tryMessageNow(context, line.userId, id)).to.include({ id, status: 'queued' })
      expect(await messageRow(context, id)).to.include({ not_before: null, job_generation: 1 })
    })

    it('takes all of a line that wait for their carrier, in their order, and leaves the others', async () => {
      const ids = await queueMessages(context, line, 3)
      const waiting = { not_before: inAnHour(), due_at: inAnHour() }
      await queueMessage(context, line, waiting)
      await context
        .db('messages')
        .whereIn('id', ids.slice(0, 2))
        .update({ ...waiting, error: 'carrier_unavailable' })
      expect(await countMessagesToTry(context, line.lineId)).to.equal(2)
      await expectRefusal(tryLineMessagesNow(context, newId(), line.lineId), 404)
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
      await changeRows(context, 'messages', messageId, { error: 'throttled', not_before: inAnHour() })
      await tryJobNow(context, 'send-message', messageId)
      expect(await messageRow(context, messageId)).to.include({ not_before: null })
      for (const queue of ['send-message', 'deliver-event', 'maintenance'] as const) {
        await tryJobNow(context, queue, newId())
      }
    })
  })
})
