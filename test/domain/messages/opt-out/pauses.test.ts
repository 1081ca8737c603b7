import { expect } from 'chai'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { numberWindowKey } from '../../../../src/domain/messages/windows.js'
import { findObstacles, listPauses } from '../../../../src/domain/messages/opt-out/peers.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { until } from '../../../helpers/until.js'
import {
  ANNA,
  BEN,
  countRows,
  dueInMs,
  inboundText,
  messageRow,
  queueMessage,
  takenMessages,
  UNLIMITED,
} from '../../fixtures.js'

const PAUSE_MS = 600_000

describeContext('a line and a number that answer each other without end', (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { ...UNLIMITED, outgoingUrl: 'http://127.0.0.1:9/events' })
  })

  async function send(toNumber = ANNA): Promise<string> {
    const id = await queueMessage(context, line, { to_number: toNumber })
    await sendMessage(context, id)
    return id
  }
  const receive = (fromNumber = ANNA) => receiveMessage(context, inboundText(line, { fromNumber }))
  const contact = () =>
    context
      .db('line_peers')
      .where({ line_id: line.lineId, number: ANNA })
      .first<{ window_cleared_at: Date; paused_until: Date | null }>()

  async function pingPong(): Promise<void> {
    for (let n = 0; n < 10; n += 1) {
      await receive()
      await send()
    }
    expect(await contact()).to.include({ paused_until: null })
    await receive()
  }

  it('are paused for ten minutes: what is to be sent waits, and uses up no attempt', async () => {
    await pingPong()
    const { paused_until: until } = await contact()
    expect(until!.getTime() - Date.now()).to.be.within(PAUSE_MS - 30_000, PAUSE_MS)
    const id = await queueMessage(context, line)
    const outcome = await sendMessage(context, id)
    expect(outcome).to.include({ kind: 'wait', reason: 'paused' })
    expect(await messageRow(context, id)).to.include({ status: 'queued', attempt_count: 0, claim_id: null })
    expect(await dueInMs(context, 'messages', id)).to.be.within(PAUSE_MS - 30_000, PAUSE_MS)
    expect(await takenMessages(context, ANNA)).not.to.include(id)
  })

  it('are paused once: more messages neither open the window nor make the pause longer', async () => {
    await pingPong()
    const before = await contact()
    const eventCount = await countRows(context, 'events')
    await receive()
    expect(await contact()).to.deep.equal(before)
    expect(await countRows(context, 'events'), 'the event goes out').to.equal(eventCount + 1)
  })

  it('stay paused when they have been quiet for a while: what comes then opens no window', async () => {
    await pingPong()
    await context.db('line_peers').where({ line_id: line.lineId }).update({ heard_at: [] })
    const before = await contact()
    await receive()
    expect(await contact()).to.deep.equal(before)
  })

  it('are paused for Redis too: more messages do not clear the window there', async () => {
    await pingPong()
    const windows = { ...context.windows }
    const cleared: string[] = []
    context.windows.clear = (keys) => {
      const these = [...keys]
      cleared.push(...these)
      return windows.clear(these)
    }
    try {
      await receive(ANNA)
      await receive(BEN)
      await until('the window of the other is cleared', () =>
        cleared.includes(numberWindowKey(line.lineId, BEN)),
      )
    } finally {
      Object.assign(context.windows, windows)
    }
    expect(cleared).not.to.include(numberWindowKey(line.lineId, ANNA))
  })

  it('write again when the pause is over', async () => {
    await pingPong()
    const id = await queueMessage(context, line)
    await sendMessage(context, id)
    await context.db('line_peers').update({ paused_until: new Date() })
    await context
      .db('messages')
      .where({ direction: 'inbound' })
      .update({ created_at: new Date(0) })
    expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
    const { window_cleared_at: clearedAt } = await contact()
    await receive()
    expect((await contact()).window_cleared_at.getTime()).to.be.above(clearedAt.getTime())
  })

  it('do not make a message live longer than it may', async () => {
    await pingPong()
    const id = await queueMessage(context, line, { created_at: '2020-01-01T00:00:00Z' })
    expect(await sendMessage(context, id)).to.deep.equal({ kind: 'failed', error: 'expired' })
  })

  it('are no matter for the line’s other numbers', async () => {
    await pingPong()
    await receive(BEN)
    expect(await messageRow(context, await send(BEN))).to.include({ status: 'sent' })
    const ofLine = await listPauses(context, line.userId, line.lineId)
    expect(ofLine.map(({ number }) => number)).to.deep.equal([ANNA])
    const obstacles = await findObstacles(context, line.userId, line.lineId, BEN)
    expect(obstacles).to.deep.equal({ optedOutAt: null, pausedUntil: null })
    expect((await findObstacles(context, line.userId, line.lineId, ANNA)).pausedUntil).to.be.a('date')
  })

  it('are not a person who writes without being answered', async () => {
    for (let n = 0; n < 20; n += 1) await receive()
    expect(await contact()).to.include({ paused_until: null })
  })
})
