import { expect } from 'chai'
import { listMessages, type MessageFilter } from '../../../src/database/messages/reading.js'
import { getMessage } from '../../../src/domain/messages/get-message.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, lineForEachTest, type TestLine } from '../../helpers/factories.js'
import {
  sendNew,
  receiveNew,
  ANNA,
  BEN,
  CLEO,
  inboundText,
  queueMessage,
  queueMessages,
} from '../fixtures.js'
import { idAt } from '../operating/retention/past.js'
import { expectRefusal } from '../refusal.js'

describeContext('reading messages', (context) => {
  let sister: TestLine
  let stranger: TestLine

  const line = lineForEachTest(context)
  beforeEach(async () => {
    sister = await createLine(context, { userId: line.userId })
    stranger = await createLine(context)
  })

  async function find(filter: MessageFilter = {}, before?: string, limit = 50): Promise<string[]> {
    const page = before === undefined ? { limit } : { before, limit }
    return (await listMessages(context.db, line.userId, filter, page)).map(({ id }) => id)
  }

  const receive = (overrides: Parameters<typeof inboundText>[1] = {}) => receiveNew(context, line, overrides)

  it('gives the user’s messages of all lines, newest first, and nobody else’s', async () => {
    const first = await queueMessage(context, line)
    const second = await queueMessage(context, sister)
    await queueMessage(context, stranger)
    const third = await receive()
    expect(await find()).to.deep.equal([third, second, first])
  })

  it('gives a page after another, with nothing twice and nothing left out', async () => {
    const ids: string[] = []
    for (let n = 0; n < 7; n += 1) ids.unshift(await queueMessage(context, n % 2 ? line : sister))
    const seen: string[] = []
    for (let page = await find({}, undefined, 3); page.length > 0; page = await find({}, page.at(-1), 3)) {
      seen.push(...page)
    }
    expect(seen).to.deep.equal(ids)
  })

  it('does not show what came later on a page further back', async () => {
    const [old, cursor] = await queueMessages(context, line, 2)
    await queueMessage(context, line)
    expect(await find({}, cursor)).to.deep.equal([old])
  })

  it('filters by line, and knows no line of another user', async () => {
    const own = await queueMessage(context, sister)
    await queueMessage(context, line)
    await queueMessage(context, stranger)
    expect(await find({ lineId: sister.lineId })).to.deep.equal([own])
    expect(await find({ lineId: stranger.lineId })).to.deep.equal([])
    expect(await find({ lineId: newId() })).to.deep.equal([])
  })

  it('filters by direction, by type and by both', async () => {
    const sent = await queueMessage(context, line)
    const text = await receive()
    const voice = await receive({ content: { type: 'voiceMail', url: 'https://example.com/1.mp3' } })
    expect(await find({ direction: 'outbound' })).to.deep.equal([sent])
    expect(await find({ direction: 'inbound' })).to.deep.equal([voice, text])
    expect(await find({ type: 'voicemail' })).to.deep.equal([voice])
    expect(await find({ type: 'text', direction: 'inbound' })).to.deep.equal([text])
  })

  for (const status of ['queued', 'sending', 'sent', 'delivered', 'failed', 'unknown', 'received']) {
    it(`filters by the status ${status}`, async () => {
      const id = await queueMessage(context, line, { status })
      await queueMessage(context, line, { status: status === 'failed' ? 'unknown' : 'failed' })
      expect(await find({ status })).to.deep.equal([id])
    })
  }

  it('filters by who is at the other end, whichever way it went', async () => {
    const sent = await queueMessage(context, line, { to_number: BEN })
    const received = await receive({ fromNumber: BEN })
    await queueMessage(context, line, { to_number: CLEO })
    expect(await find({ number: BEN })).to.deep.equal([received, sent])
    expect(await find({ number: line.number })).to.deep.equal([])
  })

  it('filters by the time it shows, not by that in the id: from is in it, until is not', async () => {
    const made = async (at: Date, idMs: number) => {
      const id = idAt(new Date(at.getTime() + idMs))
      await queueMessage(context, line, { id, created_at: at })
      return id
    }
    const [early, late] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-02T00:00:00Z')]
    const ids = [await made(early, -20_000), await made(early, 20_000), await made(late, -20_000)]
    const [first, , third] = ids
    const span = async (from: Date, untilMs: number) =>
      (await find({ from, until: new Date(from.getTime() + untilMs) })).sort()
    expect(await find({ from: late })).to.deep.equal([third])
    expect(await find({ until: late })).to.deep.equal(ids.slice(0, 2).reverse())
    expect(await span(early, 1)).to.deep.equal(ids.slice(0, 2))
    expect(await span(new Date(early.getTime() - 30_000), 30_000)).to.deep.equal([])
    expect(await span(new Date(early.getTime() + 1), 30_000)).to.deep.equal([])
    expect(await find({ from: early }, first)).to.deep.equal([])
  })

  it('gives a message with all that is known of it', async () => {
    const id = await sendNew(context, line)
    const message = await getMessage(context, line.userId, id)
    expect(message).to.include({
      id,
      userId: line.userId,
      lineId: line.lineId,
      direction: 'outbound',
      source: 'webhook',
      type: 'text',
      fromNumber: line.number,
      toNumber: ANNA,
      text: 'Hello',
      mediaUrl: null,
      status: 'sent',
      error: null,
      attemptCount: 1,
      againOf: null,
      receiptAt: null,
    })
    expect(message.carrierMessageId).to.be.a('string')
    expect(message.claimedAt!.getTime()).to.be.within(message.createdAt.getTime(), message.sentAt!.getTime())
  })

  it('knows no message of another user, none that does not exist, and nothing that is no id', async () => {
    const id = await queueMessage(context, stranger)
    for (const wrong of [id, newId(), 'x', '']) {
      await expectRefusal(getMessage(context, line.userId, wrong), 404, 'No such message')
    }
  })
})
