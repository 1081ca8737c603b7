import { expect } from 'chai'
import { createFunctions } from '../../../../src/database/functions.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { numberWindowKey } from '../../../../src/domain/messages/windows.js'
import { findPeerState, listPauses } from '../../../../src/domain/messages/opt-out/peers.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { until } from '../../../helpers/until.js'
import {
  sendNew,
  ANNA,
  BEN,
  inboundText,
  queueMessage,
  changeRows,
  countRows,
  dueInMs,
  messageRow,
  takenMessages,
  UNLIMITED,
} from '../../fixtures.js'
import { failure } from '../../../helpers/failure.js'

/** So many seconds ago, evenly over the last `span` seconds; the first is now. */
const times = (count: number, span = 50) => Array.from({ length: count }, (_, n) => (n * span) / count)

const PAUSE_MS = 600_000

describeContext('programs that answer each other', (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { ...UNLIMITED, outgoingUrl: 'http://127.0.0.1:9/events' })
  })

  const send = (toNumber = ANNA) => sendNew(context, line, { to_number: toNumber })
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
    await changeRows(context, 'line_peers', { line_id: line.lineId }, { heard_at: [] })
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
    const id = await sendNew(context, line)
    await context.db('line_peers').update({ paused_until: new Date() })
    await changeRows(context, 'messages', { direction: 'inbound' }, { created_at: new Date(0) })
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
    const ben = await findPeerState(context, line.userId, line.lineId, BEN)
    expect(ben).to.deep.equal({ optedOutAt: null, pausedUntil: null, archivedAt: null })
    expect((await findPeerState(context, line.userId, line.lineId, ANNA)).pausedUntil).to.be.a('date')
  })

  it('are not a person who writes without being answered', async () => {
    for (let n = 0; n < 20; n += 1) await receive()
    expect(await contact()).to.include({ paused_until: null })
  })

  describe('a ping-pong of two programs', () => {
    /** What `receive_messages` asks when as many have come. */
    async function isPingPong(
      inboundAgo: readonly number[],
      outboundAgo: readonly number[],
      sentAt: (at: Date) => Record<string, unknown> = (at) => ({ status: 'sent', sent_at: at }),
    ): Promise<boolean> {
      const { db } = context
      const now = new Date()
      const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000)
      // The first has just come.
      for (const seconds of inboundAgo.slice(1)) {
        await queueMessage(context, line, {
          ...{ direction: 'inbound', status: 'received', from_number: ANNA, to_number: line.number },
          created_at: ago(seconds),
        })
      }
      for (const seconds of outboundAgo) await queueMessage(context, line, sentAt(ago(seconds)))
      const { rows } = await db.raw<{ rows: { after: number | null }[] }>(
        'select ping_pong_after(?, ?, ?) as after',
        [line.lineId, ANNA, now],
      )
      const after = rows[0]?.after ?? Infinity
      return inboundAgo.length > 0 && after <= 1
    }

    for (const [what, inboundAgo, outboundAgo, expected] of [
      ['more than 10 messages with as many answers within a minute', times(11), times(10), true],
      ['10 messages with as many answers', times(10), times(10), false],
      ['a person who sends 8 texts in a minute', times(8), [], false],
      ['a person who sends 30 texts and gets a few answers', times(30), times(9), false],
      ['a line that sends 30 texts and gets a few answers', times(9), times(30), false],
      ['a long talk', times(60, 600), times(60, 600), false],
      ['nothing', [], [], false],
    ] as const) {
      it(`${expected ? 'is' : 'is not'}: ${what}`, async () => {
        expect(await isPingPong(inboundAgo, outboundAgo)).to.equal(expected)
      })
    }

    it('is counted from when texts were sent, without those that the carrier refused', async () => {
      const waited = (at: Date) => {
        return { status: 'sent', sent_at: at, created_at: new Date(at.getTime() - 90_000) }
      }
      expect(await isPingPong(times(11), times(10), waited)).to.equal(true)
      line = await createLine(context)
      const refused = (at: Date) => ({ status: 'failed', claimed_at: at })
      expect(await isPingPong(times(11), times(10), refused)).to.equal(false)
    })

    it('is over a minute after the last message', async () => {
      const traffic = times(20)
      expect(await isPingPong(traffic, traffic)).to.equal(true)
      line = await createLine(context)
      const before = traffic.map((seconds) => seconds + 60)
      expect(await isPingPong(before, before)).to.equal(false)
    })

    it('is not looked for before more than ten have come in a minute', async () => {
      const receive = (fromNumber: string) => receiveMessage(context, inboundText(line, { fromNumber }))
      const heardAt = async () =>
        (
          await context
            .db('line_peers')
            .where({ line_id: line.lineId, number: BEN })
            .first<{ heard_at: Date[] }>()
        ).heard_at
      await context.db.raw(`
      create or replace function ping_pong_after(line uuid, peer text, now_at timestamptz) returns integer
      language plpgsql as $$ begin raise 'looked for'; end $$`)
      try {
        for (let n = 0; n < 10; n += 1) await receive(BEN)
        expect(await heardAt()).to.have.length(10)
        expect((await failure(receive(BEN))).message).to.include('looked for')
      } finally {
        await createFunctions(context.db, ['ping_pong_after'])
      }
      for (let n = 0; n < 5; n += 1) await receive(BEN)
      expect(await heardAt(), 'no more are kept than are asked for').to.have.length(11)
    })
  })
})
