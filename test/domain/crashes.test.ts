import { expect } from 'chai'
import { recordDeliveryCrash } from '../../src/database/endpoints/deliveries/stranded.js'
import { CRASH_WAIT_MS, MAX_CRASHES } from '../../src/domain/crashes.js'
import { sendHeldEvents } from '../../src/domain/endpoints/deliveries/held-events.js'
import { countMessageCrash } from '../../src/domain/messages/send.js'
import { describeContext } from '../helpers/context.js'
import { createLine, own, type TestLine } from '../helpers/factories.js'
import { until } from '../helpers/until.js'
import { BEN, deliveryRow, hasMessageJob, messageRow, queueMessage, receiveForDelivery } from './fixtures.js'

describeContext('a row whose job crashes', (context) => {
  let line: TestLine

  before(async () => {
    line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/events' })
  })

  it(`is tried again ${MAX_CRASHES - 1} times; with the next crash a message fails`, async () => {
    const id = await queueMessage(context, line)
    for (let n = 1; n < MAX_CRASHES; n += 1) {
      expect(await countMessageCrash(context, id)).to.equal(false)
      expect(await messageRow(context, id)).to.include({ status: 'queued', crash_count: n, error: null })
    }
    expect(await countMessageCrash(context, id)).to.equal(true)
    expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'internal_error' })
  })

  it('gives the next message to its number a job when it is given up', async () => {
    const id = await queueMessage(context, line, { to_number: BEN, crash_count: MAX_CRASHES - 1 })
    const next = await queueMessage(context, line, { to_number: BEN })
    expect(await countMessageCrash(context, id)).to.equal(true)
    await until('the next has a job', () => hasMessageJob(context, next, 1))
  })

  it(`is tried again ${MAX_CRASHES - 1} times; with the next crash a delivery is exhausted`, async () => {
    const { id } = await receiveForDelivery(context, line)
    for (let n = 1; n < MAX_CRASHES; n += 1) {
      expect(await recordDeliveryCrash(context.db, id, MAX_CRASHES, CRASH_WAIT_MS)).to.equal(false)
      expect(await deliveryRow(context, id)).to.include({ status: 'pending', crash_count: n })
    }
    expect(await recordDeliveryCrash(context.db, id, MAX_CRASHES, CRASH_WAIT_MS)).to.equal(true)
    expect(await deliveryRow(context, id)).to.include({ status: 'exhausted', last_failure: 'internal_error' })
  })

  for (const status of ['sending', 'sent', 'unknown', 'failed']) {
    it(`is left as it is when it is a message that is ${status}`, async () => {
      const id = await queueMessage(context, line, { status, crash_count: 4 })
      expect(await countMessageCrash(context, id)).to.equal(false)
      expect(await messageRow(context, id)).to.include({ status, crash_count: 4 })
    })
  }

  for (const status of ['delivered', 'held']) {
    it(`is left as it is when it is a delivery that is ${status}`, async () => {
      const { id } = await receiveForDelivery(context, line)
      await context.db('deliveries').where({ id }).update({ status, crash_count: 4 })
      expect(await recordDeliveryCrash(context.db, id, MAX_CRASHES, CRASH_WAIT_MS)).to.equal(false)
      expect(await deliveryRow(context, id)).to.include({ status, crash_count: 4, last_failure: null })
    })
  }

  it('ends the attempt of a delivery that was under way', async () => {
    const { id } = await receiveForDelivery(context, line)
    await context.db('deliveries').where({ id }).update({ status: 'delivering' })
    expect(await recordDeliveryCrash(context.db, id, MAX_CRASHES, CRASH_WAIT_MS)).to.equal(false)
    expect(await deliveryRow(context, id)).to.include({
      status: 'pending',
      crash_count: 1,
      lease_until: null,
    })
  })

  it('has a clean count when it was held and is sent again', async () => {
    const { id } = await receiveForDelivery(context, line)
    await context
      .db('deliveries')
      .where({ id })
      .update({ status: 'held', crash_count: 4, round_attempt_count: 9 })
    await sendHeldEvents(context, ...own(line))
    expect(await deliveryRow(context, id)).to.include({
      status: 'pending',
      crash_count: 0,
      round_attempt_count: 0,
    })
  })
})
