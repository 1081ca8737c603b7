import { expect } from 'chai'
import { Webhook } from 'standardwebhooks'
import { changeConnection } from '../../../src/domain/lines/connections.js'
import { createLineEventFeed, signLineEvents } from '../../../src/domain/endpoints/line-events.js'
import { announceOptOut } from '../../../src/domain/messages/opt-out/announce.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { ANNA, inboundText, queueMessage } from '../fixtures.js'

describeContext('the feed of a line’s events', (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context)
  })

  const receive = async (text: string, toLine = line): Promise<string> => {
    const content = { type: 'inboundText', text } as const
    const outcome = await receiveMessage(context, inboundText(toLine, { content }))
    if (outcome.kind !== 'received') throw new Error('the carrier id was not new')
    const event = await context.db('events').where({ message_id: outcome.messageId }).first<{ id: string }>()
    return event.id
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
    await context.db('messages').insert({
      ...{ id: lateId, user_id: line.userId, line_id: line.lineId, direction: 'inbound', source: 'carrier' },
      ...{ from_number: ANNA, to_number: line.number, text: 'late', status: 'received' },
    })
    await context.db('events').insert({
      ...{ id: newId(), user_id: line.userId, line_id: line.lineId, message_id: lateId, type: 'inboundText' },
      ...{ payload: 'late', from_number: ANNA, to_number: line.number },
    })
    await receive('new')
    for (const after of [last, position]) {
      expect(await payloadsOf(begin({ after }))).to.deep.equal(['late', 'told', 'new'])
    }
    expect(await payloadsOf(first), 'who stayed').to.deep.equal(['late', 'new'])
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
    const content = { type: 'inboundMedia', url: 'https://example.com/a.png' } as const
    const outcome = await receiveMessage(context, inboundText(line, { content }))
    if (outcome.kind !== 'received') throw new Error('the carrier id was not new')
    const last = await receive('after it')
    expect(await payloadsOf(next)).to.deep.equal(['after it'])
    const again = begin({ after: last })
    await again()
    await context
      .db('media')
      .where({ message_id: outcome.messageId })
      .update({ status: 'stored', stored_at: new Date() })
    expect(await payloadsOf(next)).to.have.length(1)
    expect(await payloadsOf(again)).to.have.length(1)
    expect(await payloadsOf(next)).to.deep.equal([])
  })

  it('has what the line’s own URL asked for, and signs as for that URL', async () => {
    line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/' })
    await changeConnection(context, line.userId, line.lineId, { optInEvents: ['optOut'] })
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
    expect(new Webhook(line.signingSecret).verify(signed?.body ?? '', signed?.headers ?? {})).to.deep.equal({
      type: 'optOut',
      payload: 'optedOut',
      fromNumber: ANNA,
      toNumber: line.number,
      userId: line.userId,
      lineId: line.lineId,
    })
    await context
      .db('endpoints')
      .where({ user_id: line.userId })
      .update({ policy: { shape: 'slack' } })
    const [shaped] = await signLineEvents(context, line, events)
    expect(JSON.parse(shaped?.body ?? '')).to.have.keys('text')
    const bare = await createLine(context)
    const [unsigned] = await signLineEvents(context, bare, events)
    expect(unsigned?.headers).to.have.keys('content-type', 'user-agent', 'webhook-id', 'webhook-timestamp')
  })
})
