import { expect } from 'chai'
import { createTail } from '../../../src/domain/endpoints/tail.js'
import type { Step } from '../../../src/domain/endpoints/tail/steps.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { deliver } from '../../../src/domain/endpoints/deliveries/deliver.js'
import { createLineEventFeed, signLineEvents } from '../../../src/domain/endpoints/line-events.js'
import { announceOptOut } from '../../../src/domain/messages/opt-out/announce.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { startReceiver } from '../../helpers/services/receiver.js'
import { openForSuite } from '../../helpers/suite.js'
import {
  receiveNew,
  changeRows,
  ANNA,
  inboundText,
  queueMessage,
  receiveForDelivery,
  addCopies,
  verifyEvent,
  textEventOf,
} from '../fixtures.js'

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
    changeRows(context, 'messages', id, changes)

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
    await changeRows(context, 'deliveries', delivery.id, { due_at: new Date() })
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
    const queue = async (count: number) =>
      addCopies(context, 'messages', await queueMessage(context, line), count - 1)
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

  describe('the feed of a line’s events', () => {
    let line: TestLine

    beforeEach(async () => {
      line = await createLine(context)
    })

    const receive = async (text: string, toLine = line): Promise<string> => {
      const message_id = await receiveNew(context, toLine, { content: { type: 'inboundText', text } })
      return (await context.db('events').where({ message_id }).first<{ id: string }>()).id
    }
    const begin = (options = {}) => {
      const feed = createLineEventFeed(context, line.lineId, options)
      return async () => {
        const { events, ...more } = await feed.next()
        return { payloads: events.map(({ payload }) => payload), ids: events.map(({ id }) => id), ...more }
      }
    }
    const payloadsOf = async (next: ReturnType<typeof begin>) => (await next()).payloads

    it('tells what comes after its beginning, each once and in order, and nothing of other lines', async () => {
      await receive('before')
      const next = begin()
      expect(await payloadsOf(next)).to.deep.equal([])
      await receive('one')
      await receive('of another line', await createLine(context))
      await queueMessage(context, line)
      await receive('two')
      expect(await payloadsOf(next)).to.deep.equal(['one', 'two'])
      expect(await payloadsOf(next)).to.deep.equal([])
      await receive('three')
      expect(await payloadsOf(next)).to.deep.equal(['three'])
    })

    it('goes on after an event and after a position without missing one that was committed late', async () => {
      const first = begin({ from: new Date(Date.now() - 60_000) })
      const lateId = newId()
      const last = await receive('told')
      expect((await first()).ids).to.deep.equal([last])
      const { position } = await first()
      // Its id was made before that of the event that was told, and its row was committed after.
      await queueMessage(context, line, {
        ...{ id: lateId, direction: 'inbound', source: 'carrier', status: 'received' },
        ...{ from_number: ANNA, to_number: line.number },
      })
      await context.db('events').insert({
        ...{ id: newId(), user_id: line.userId, line_id: line.lineId, message_id: lateId },
        ...{ type: 'inboundText', payload: 'late', from_number: ANNA, to_number: line.number },
      })
      await receive('new')
      for (const after of [last, position]) {
        expect(await payloadsOf(begin({ after }))).to.deep.equal(['late', 'told', 'new'])
      }
      expect(await payloadsOf(first), 'who stayed').to.deep.equal(['late', 'new'])
    })

    it('from a time on has what shows such a time, though its id was made before', async () => {
      const id = await receive('new')
      const from = new Date(Date.now() + 5000)
      await changeRows(context, 'events', id, { created_at: from })
      expect(await payloadsOf(begin({ from }))).to.deep.equal(['new'])
      expect(await payloadsOf(begin({ from: new Date(from.getTime() + 1) }))).to.deep.equal([])
    })

    it('is read page by page, with what the line sent between', async () => {
      const next = begin({ from: new Date(Date.now() - 60_000) })
      for (let n = 0; n < 70; n += 1) {
        await receive(`${n}`)
        await queueMessage(context, line)
      }
      const pages = [await next(), await next()]
      expect(pages.map(({ hasMore }) => hasMore)).to.deep.equal([true, false])
      expect(pages.flatMap(({ payloads }) => payloads)).to.deep.equal(
        Array.from({ length: 70 }, (_, n) => `${n}`),
      )
      expect(await payloadsOf(next)).to.deep.equal([])
    })

    it('tells of media when their copy is there, also to who came back meanwhile', async () => {
      const next = begin()
      await next()
      const content = { type: 'inboundMedia', urls: ['https://example.com/a.png'] } as const
      const message_id = await receiveNew(context, line, { content })
      const last = await receive('after it')
      expect(await payloadsOf(next)).to.deep.equal(['after it'])
      const again = begin({ after: last })
      await again()
      await changeRows(context, 'media', { message_id }, { status: 'stored', stored_at: new Date() })
      expect(await payloadsOf(next)).to.have.length(1)
      expect(await payloadsOf(again)).to.have.length(1)
      expect(await payloadsOf(next)).to.deep.equal([])
    })

    it('has what the line’s own URL asked for, and signs as for that URL', async () => {
      line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/', optInEvents: ['optOut'] })
      const feed = createLineEventFeed(context, line.lineId)
      await feed.next()
      const told = { id: line.lineId, userId: line.userId, number: line.number }
      await announceOptOut(
        context.db,
        told as never,
        { id: newId(), fromNumber: ANNA },
        { hasOptedOut: true, hasOptedIn: false },
      )
      const { events } = await feed.next()
      const [signed, ...others] = await signLineEvents(context, line, events)
      expect(others).to.deep.equal([])
      const expected = { ...textEventOf(line), type: 'optOut', payload: 'optedOut' }
      expect(verifyEvent(signed, line.signingSecret)).to.deep.equal(expected)
      await changeRows(context, 'endpoints', { user_id: line.userId }, { policy: { shape: 'slack' } })
      const [shaped] = await signLineEvents(context, line, events)
      expect(JSON.parse(shaped?.body ?? '')).to.have.keys('text')
      const bare = await createLine(context)
      const [unsigned] = await signLineEvents(context, bare, events)
      expect(unsigned?.headers).to.have.keys('content-type', 'user-agent', 'webhook-id', 'webhook-timestamp')
    })
  })
})
