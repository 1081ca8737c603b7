import { expect } from 'chai'
import { createTail } from '../../../src/domain/endpoints/tail.js'
import type { Step } from '../../../src/domain/endpoints/tail/steps.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { openForSuite } from '../../helpers/suite.js'
import { ANNA, inboundText, queueMessage, receiveForDelivery } from '../fixtures.js'

describeContext('following what happens', (context) => {
  const receiver = openForSuite(startReceiver)
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { name: 'Front desk', outgoingUrl: receiver.url })
  })

  const follow = async (lineId?: string, last = 0) => {
    const tail = createTail(context, { last, ...(lineId === undefined ? {} : { lineId }) })
    const { steps } = await tail.next()
    return { before: brief(steps), next: async () => brief((await tail.next()).steps) }
  }
  const brief = (steps: readonly Step[]) => steps.map(({ way, state, reason }) => [way, state, reason])
  const become = (id: string, changes: Record<string, unknown>) =>
    context.db('messages').where({ id }).update(changes)

  it('tells each step of a message once, with the line, the other end and the moment', async () => {
    const tail = createTail(context, { last: 0 })
    await tail.next()
    const id = await queueMessage(context, line)
    const { steps } = await tail.next()
    expect(steps).to.have.length(1)
    expect(steps[0]).to.include({
      kind: 'message',
      id,
      lineId: line.lineId,
      lineName: 'Front desk',
      way: 'outbound',
      number: ANNA,
      state: 'queued',
    })
    expect((await tail.next()).steps, 'again').to.deep.equal([])
    const sentAt = new Date()
    await become(id, { status: 'sent', sent_at: sentAt })
    const [sent, ...others] = (await tail.next()).steps
    expect(others).to.deep.equal([])
    expect(sent).to.deep.include({ id, state: 'sent', at: sentAt })
  })

  it('tells what a message passed through between two looks, in order', async () => {
    const { next } = await follow()
    const id = await queueMessage(context, line, { created_at: new Date(Date.now() - 300) })
    await become(id, {
      status: 'delivered',
      sent_at: new Date(Date.now() - 200),
      receipt_at: new Date(Date.now() - 100),
    })
    expect(await next()).to.deep.equal([
      ['outbound', 'queued', null],
      ['outbound', 'sent', null],
      ['outbound', 'delivered', null],
    ])
  })

  it('tells why a message waits again or failed', async () => {
    const { next } = await follow()
    const id = await queueMessage(context, line)
    await next()
    await become(id, { error: 'throttled' })
    expect(await next()).to.deep.equal([['outbound', 'queued', 'throttled']])
    await become(id, { status: 'failed', error: 'expired' })
    expect(await next()).to.deep.equal([['outbound', 'failed', 'expired']])
  })

  it('follows messages that waited before it began', async () => {
    const id = await queueMessage(context, line)
    const { next } = await follow()
    await become(id, { status: 'sent', sent_at: new Date() })
    expect(await next()).to.deep.equal([['outbound', 'sent', null]])
  })

  it('tells what is received, its event and each attempt to deliver it', async () => {
    const { next } = await follow()
    receiver.answerWith((response) => response.writeHead(500).end())
    const delivery = await receiveForDelivery(context, line)
    expect(await next()).to.have.deep.members([
      ['inbound', 'received', null],
      ['inboundText', 'pending', null],
    ])
    await deliver(context, delivery.id, delivery.endpoint_id)
    expect(await next()).to.deep.equal([['inboundText', 'pending', 'http_500 at attempt 1']])
    receiver.answerWith((response) => response.end())
    await context.db('deliveries').where({ id: delivery.id }).update({ due_at: new Date() })
    await deliver(context, delivery.id, delivery.endpoint_id)
    expect(await next()).to.deep.equal([['inboundText', 'delivered', null]])
  })

  it('tells of one line only, if it is asked to', async () => {
    const other = await createLine(context, { outgoingUrl: receiver.url })
    const { next } = await follow(line.lineId)
    await queueMessage(context, other)
    const elsewhere = await receiveForDelivery(context, other)
    await deliver(context, elsewhere.id, elsewhere.endpoint_id)
    await receiveMessage(context, inboundText(line))
    expect(await next()).to.have.deep.members([
      ['inbound', 'received', null],
      ['inboundText', 'pending', null],
    ])
  })

  it('says so when more happens between two looks than it reads', async () => {
    const tail = createTail(context, { last: 0, lineId: line.lineId })
    const look = async () => {
      const { steps, isMissingSome } = await tail.next()
      return [steps.length, isMissingSome]
    }
    await look()
    const queue = (count: number) =>
      context.db.raw(
        `insert into messages (id, user_id, line_id, direction, source, from_number, to_number, text, status)
         select new_id(), ?, ?, 'outbound', 'webhook', ?, ?, 'Hello', 'queued' from generate_series(1, ?)`,
        [line.userId, line.lineId, line.number, ANNA, count],
      )
    await queue(2001)
    expect(await look()).to.deep.equal([2000, true])
    await queue(10)
    expect(await look()).to.deep.equal([10, false])
  })

  it('begins with the last few steps', async () => {
    await queueMessage(context, line, {
      status: 'failed',
      error: 'expired',
      receipt_at: new Date(Date.now() - 50),
    })
    await queueMessage(context, line)
    const { before } = await follow(line.lineId, 1)
    expect(before).to.deep.equal([['outbound', 'queued', null]])
  })
})
