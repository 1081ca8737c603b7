import { expect } from 'chai'
import { runLane } from '../../../../src/domain/endpoints/deliveries/lane.js'
import { changeLine } from '../../../../src/domain/lines/change-line.js'
import { getAnyLine, setLineStatus } from '../../../../src/domain/lines/lines.js'
import { fetchMedia } from '../../../../src/domain/media/fetch.js'
import { enqueueResumed } from '../../../../src/domain/messages/resume.js'
import { COMMAND_LINE, pauseLine } from '../../../../src/domain/operating/pauses.js'
import { sweep } from '../../../../src/domain/sweep.js'
import { openHolder } from '../../../database/hold.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, lineForEachTest, type TestLine } from '../../../helpers/factories.js'
import { startReceiver } from '../../../helpers/services/receiver.js'
import { openForEachTest } from '../../../helpers/suite.js'
import { until } from '../../../helpers/until.js'
import { connect, createApplication } from '../../applications/applications.js'
import { MEDIA } from '../../media-samples.js'
import {
  attemptRows,
  changeRows,
  countWaitingForLocks,
  deliveriesOf,
  deliveryRow,
  hasDeliveryJob,
  makeOverdue,
  mediaAt,
  receiveForDelivery,
  receiveNew,
  type DeliveryRow,
} from '../../fixtures.js'

describeContext('events that wait while their line is disabled', (context) => {
  const receiver = openForEachTest(startReceiver)
  const line = lineForEachTest(context, () => ({ outgoingUrl: receiver.url }))

  const setStatus = async (status: 'active' | 'disabled', of: TestLine = line) =>
    setLineStatus(context, of.userId, of.lineId, status)
  const run = ({ id, endpoint_id: endpointId }: DeliveryRow) => runLane(context, endpointId, id)
  const HELD = { status: 'held', last_failure: 'line_disabled', attempt_count: 0 }

  it('are held without an attempt, and delivered after it is enabled', async () => {
    const delivery = await receiveForDelivery(context, line)
    await setStatus('disabled')
    expect(await run(delivery)).to.equal(undefined)
    expect(await deliveryRow(context, delivery.id)).to.include(HELD)
    expect(await attemptRows(context, delivery.id)).to.deep.equal([])
    expect(receiver.requests).to.have.length(0)
    await makeOverdue(context, 'deliveries', [delivery.id])
    expect(await sweep(context), 'the sweep leaves them alone').to.equal(0)

    await context.redis.flushdb()
    await setStatus('active')
    await enqueueResumed(context)
    expect(await hasDeliveryJob(context, delivery.id, 1)).to.equal(true)
    await run(delivery)
    expect(await deliveryRow(context, delivery.id)).to.include({ status: 'delivered' })
    expect(receiver.requests).to.have.length(1)
  })

  it('are held too if the copy of their media is only made, or given up, meanwhile', async () => {
    const application = await createApplication(context, { webhookUrl: receiver.url })
    await connect(context, application, line)
    const messages: string[] = []
    for (const path of ['picture', 'nothing']) {
      const content = mediaAt(receiver.url.replace('events', path))
      messages.push(await receiveNew(context, line, { content }))
    }
    await setStatus('disabled')
    receiver.answerWith((response, { path }) =>
      response.end(path === '/picture' ? MEDIA.picture.png : '<html>'),
    )
    for (const id of await context.db('media').orderBy('id').pluck<string[]>('id'))
      await fetchMedia(context, id)
    const [copied, refused] = await Promise.all(messages.map((id) => deliveriesOf(context, id)))
    expect(copied).to.have.length(2)
    for (const each of copied!) expect(each).to.include(HELD)
    expect(refused).to.have.length(2)
    for (const each of refused!) expect(each).to.include({ ...HELD, last_failure: 'media_type' })

    await setStatus('active')
    await enqueueResumed(context)
    for (const each of copied!) await run(each)
    for (const { id } of copied!) expect(await deliveryRow(context, id)).to.include({ status: 'delivered' })
    for (const { id } of refused!) expect(await deliveryRow(context, id)).to.include({ status: 'held' })
  })

  it('are delivered too if the line is paused and changed before they are released', async () => {
    const delivery = await receiveForDelivery(context, line)
    await setStatus('disabled')
    await run(delivery)
    await setStatus('active')
    await pauseLine(context, COMMAND_LINE, { id: line.lineId, userId: line.userId })
    await changeLine(context, await getAnyLine(context, line.lineId), { messagesPerMinute: 7 })
    await enqueueResumed(context)
    expect(await deliveryRow(context, delivery.id)).to.include({ status: 'pending', last_failure: null })
  })

  it('continue their round of attempts', async () => {
    const delivery = await receiveForDelivery(context, line)
    const tried = { attempt_count: 4, round_attempt_count: 4, last_failure: 'http_500' }
    await changeRows(context, 'deliveries', delivery.id, tried)
    await setStatus('disabled')
    await run(delivery)
    await setStatus('active')
    await enqueueResumed(context)
    expect(await deliveryRow(context, delivery.id)).to.include({
      ...tried,
      status: 'pending',
      last_failure: null,
    })
  })

  it('stay held if it is disabled again at once, and if their endpoint was disabled as well', async () => {
    const delivery = await receiveForDelivery(context, line)
    await setStatus('disabled')
    await run(delivery)
    await setStatus('active')
    await setStatus('disabled')
    await enqueueResumed(context)
    expect(await deliveryRow(context, delivery.id)).to.include(HELD)

    await setStatus('active')
    const another = await receiveForDelivery(context, line)
    await changeRows(context, 'endpoints', line.endpointId, { disabled_at: new Date() })
    await setStatus('disabled')
    await run(another)
    await setStatus('active')
    await enqueueResumed(context)
    expect(await deliveryRow(context, another.id)).to.include({ status: 'held', last_failure: null })
  })

  it('are released if they become held only while the line is being enabled', async () => {
    const delivery = await receiveForDelivery(context, line)
    await setStatus('disabled')
    const trx = await openHolder(context.db)
    await trx('deliveries').where({ id: delivery.id }).forUpdate().first('id')
    const claiming = run(delivery)
    await until('the claim waits', async () => (await countWaitingForLocks(context)) === 1)
    let isReleased = false
    const releasing = setStatus('active').then(async () => {
      await enqueueResumed(context)
      isReleased = true
    })
    await until('the other waits too', async () => isReleased || (await countWaitingForLocks(context)) === 2)
    await trx.commit()
    await Promise.all([claiming, releasing])
    await run(delivery)
    expect(await deliveryRow(context, delivery.id)).to.include({ status: 'delivered' })
  })

  it('are released too if somebody has one locked when the line is enabled', async () => {
    const delivery = await receiveForDelivery(context, line)
    await setStatus('disabled')
    await run(delivery)
    // As another process does that releases it, and is killed before the commit.
    const trx = await openHolder(context.db)
    await trx('deliveries').where({ id: delivery.id }).update({ status: 'pending' })
    await setStatus('active')
    let isOver = false
    const releasing = enqueueResumed(context).then(() => (isOver = true))
    await until('it waits, or is over', async () => isOver || (await countWaitingForLocks(context)) === 1)
    await trx.rollback()
    await releasing
    expect(await deliveryRow(context, delivery.id)).to.include({ status: 'pending', last_failure: null })
  })

  it('for an application do not keep those of its other lines waiting', async () => {
    const application = await createApplication(context, { webhookUrl: receiver.url })
    const [off, on] = [await createLine(context), await createLine(context)]
    for (const each of [off, on]) await connect(context, application, each)
    const held: DeliveryRow[] = []
    for (let n = 0; n < 25; n += 1)
      held.push(...(await deliveriesOf(context, await receiveNew(context, off))))
    const others = await deliveriesOf(context, await receiveNew(context, on))
    await setStatus('disabled', off)
    await run(held[0]!)
    for (const { id } of held) expect(await deliveryRow(context, id)).to.include(HELD)
    for (const { id } of others) expect(await deliveryRow(context, id)).to.include({ status: 'delivered' })
    await setStatus('active', off)
    await enqueueResumed(context)
    await run(held[0]!)
    for (const { id } of held) expect(await deliveryRow(context, id)).to.include({ status: 'delivered' })
  })
})
