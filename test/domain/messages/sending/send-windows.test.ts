import { expect } from 'chai'
import { requeueHeads } from '../../../../src/database/messages/requeueing.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { numberWindowKey } from '../../../../src/domain/messages/windows.js'
import type { SendOutcome } from '../../../../src/domain/messages/send/send-outcome.js'
import { claimMessages } from '../../../../src/database/messages/sending.js'
import type { Context } from '../../../../src/domain/context.js'
import { newId } from '../../../../src/ids.js'
import { describeContext, joinService } from '../../../helpers/context.js'
import { createLine, type TestLine } from '../../../helpers/factories.js'
import { until } from '../../../helpers/until.js'
import {
  ANNA,
  dueAfterMs,
  inboundText,
  messageRow,
  queueMessage,
  queueMessages,
  sendWhenDue,
  changeRows,
  ago,
  claimMessage,
  countWaitingForLocks,
  dueInMs,
  UNLIMITED,
  withCarrier,
} from '../../fixtures.js'

const LIMITS = { leaseMs: 15_000, maxAgeMs: 60_000, lookAgainMs: 30_000, heldKinds: [], heldAccounts: [] }

describeContext('the sending windows', (context) => {
  const other = joinService(context)

  async function sendAll(ids: readonly string[]): Promise<SendOutcome[]> {
    const outcomes: SendOutcome[] = []
    for (const id of ids) outcomes.push(await sendWhenDue(context, id))
    return outcomes
  }

  it('make the message over the limit of its number wait until its slot opens, without using up an attempt', async () => {
    const line = await createLine(context, { messagesPerNumberPerMinute: 2 })
    const ids = await queueMessages(context, line, 3)
    const since = Date.now()
    const [first, second, third] = await sendAll(ids)
    expect([first, second]).to.deep.equal([{ kind: 'sent' }, { kind: 'sent' }])

    if (third?.kind !== 'wait') throw new Error(`the third was not told to wait: ${JSON.stringify(third)}`)
    expect(third.reason).to.equal('window')
    expect(third.ms).to.be.within(50_000, 60_250)
    expect(await messageRow(context, ids[2]!)).to.include({
      status: 'queued',
      attempt_count: 0,
      error: null,
    })
    expect(await dueAfterMs(context, 'messages', ids[2]!, since)).to.be.within(
      third.ms - 5,
      third.ms + 10_000,
    )
  })

  it('give a reply of the service the place that opens next, before all messages that wait', async () => {
    const line = await createLine(context, { messagesPerMinute: 1 })
    const ids: string[] = []
    for (let n = 0; n < 4; n += 1)
      ids.push(await queueMessage(context, line, { to_number: `+1500555012${n}` }))
    const waits = (await sendAll(ids)).map((outcome) => ('ms' in outcome ? outcome.ms : 0))
    expect(waits[0]).to.equal(0)
    expect(waits[3]).to.be.above(150_000)
    const [reply] = await sendAll([await queueMessage(context, line, { source: 'service' })])
    expect(reply).to.deep.include({ kind: 'wait', reason: 'window' })
    expect(reply).to.have.property('ms').that.is.within(50_000, 60_250)
  })

  it('do not keep a message waiting that has got its turn while it was told to wait', async () => {
    const line = await createLine(context, { messagesPerNumberPerMinute: 1 })
    const [first, second] = await queueMessages(context, line, 2)
    expect(await sendMessage(context, first!)).to.deep.equal({ kind: 'sent' })
    const windows = { ...context.windows }
    context.windows.take = async (...asked) => {
      Object.assign(context.windows, windows)
      await requeueHeads(context.db, [{ lineId: line.lineId, toNumber: ANNA }])
      return windows.take(...asked)
    }
    expect(await sendMessage(context, second!)).to.include({ kind: 'wait', reason: 'window' })
    expect(await messageRow(context, second!)).to.include({ job_generation: 2, not_before: null })
  })

  it('of one line do not hold up another line that writes to the same number', async () => {
    const full = await createLine(context, { messagesPerMinute: 1 })
    await sendAll(await queueMessages(context, full, 1))
    const other = await createLine(context, { messagesPerMinute: 1 })
    expect(await sendAll([await queueMessage(context, other)])).to.deep.equal([{ kind: 'sent' }])
  })

  it('count messages from every source', async () => {
    const line = await createLine(context, { messagesPerNumberPerMinute: 2 })
    const ids = [
      await queueMessage(context, line, { source: 'application' }),
      await queueMessage(context, line, { source: 'console' }),
      await queueMessage(context, line, { source: 'webhook' }),
    ]
    expect((await sendAll(ids)).map(({ kind }) => kind)).to.deep.equal(['sent', 'sent', 'wait'])
  })

  it('count a message once, however often it is tried', async () => {
    const line = await createLine(context, { messagesPerMinute: 2 })
    const unavailableTwice = await queueMessage(context, line, { to_number: '+15005550003' })
    const ids = [unavailableTwice, unavailableTwice, unavailableTwice, await queueMessage(context, line)]
    expect((await sendAll(ids)).map(({ kind }) => kind)).to.deep.equal(['wait', 'wait', 'sent', 'sent'])
  })

  describe('the sending windows, as the carrier sees them', () => {
    let count = 0

    const toAnybody = (line: TestLine) => {
      count += 1
      return queueMessage(context, line, { to_number: `+1500556${1000 + count}` })
    }

    /** As if the message had been handed over so long ago. */
    const backdate = (id: string, seconds: number) =>
      changeRows(context, 'messages', id, {
        handed_over_at: context.db.raw('clock_timestamp() - make_interval(secs => ?)', [seconds]),
      })

    it('hold although Redis has forgotten them, and Redis learns of them again', async () => {
      const line = await createLine(context, { ...UNLIMITED, messagesPerMinute: 3 })
      const sent = [await toAnybody(line), await toAnybody(line), await toAnybody(line)]
      for (const id of sent) expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
      await backdate(sent[0]!, 40)
      await context.redis.flushdb()

      const more = [await toAnybody(line), await toAnybody(line)]
      const outcome = await sendMessage(context, more[0]!)
      if (outcome.kind !== 'wait') throw new Error(outcome.kind)
      expect(outcome).to.include({ reason: 'window' })
      expect(outcome.ms).to.be.within(15_000, 21_000)
      expect(await dueInMs(context, 'messages', more[0]!)).to.be.within(10_000, 21_000)
      expect(await messageRow(context, more[0]!)).to.include({ status: 'queued', attempt_count: 0 })
      // The next one is told by Redis alone, and has its turn after it.
      const next = await sendMessage({ ...context, batched: noClaims(context) }, more[1]!)
      expect(next).to.include({ kind: 'wait', reason: 'window' })
    })

    it('are not learned again of a number that has written since', async () => {
      const line = await createLine(context, { messagesPerNumberPerMinute: 2, messagesPerMinute: 3 })
      for (const id of [await queueMessage(context, line), await queueMessage(context, line)])
        expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
      await receiveMessage(context, inboundText(line))
      expect(await sendMessage(context, await toAnybody(line))).to.deep.equal({ kind: 'sent' })
      await context.redis.flushdb()
      const answer = await queueMessage(context, line)
      expect(await sendMessage(context, answer)).to.include({ kind: 'wait', reason: 'window' })
      const inNumber = await context.redis.zrange(numberWindowKey(line.lineId, ANNA), 0, '-1')
      expect(inNumber, 'only the answer itself').to.deep.equal([answer])
    })

    it('hold for one number too', async () => {
      const line = await createLine(context, { ...UNLIMITED, messagesPerNumberPerMinute: 1 })
      expect(await sendMessage(context, await queueMessage(context, line))).to.deep.equal({ kind: 'sent' })
      await context.redis.flushdb()
      const outcome = await sendMessage(context, await queueMessage(context, line))
      expect(outcome).to.include({ kind: 'wait', reason: 'window' })
      expect(await sendMessage(context, await toAnybody(line))).to.deep.equal({ kind: 'sent' })
    })

    it('count a message from when it was handed over, however long that was after it had its place', async () => {
      const line = await createLine(context, { ...UNLIMITED, messagesPerMinute: 1 })
      const slow = withCarrier(context, async ({ id }) => {
        // The place was taken a minute ago by now.
        await context.redis.flushdb()
        await changeRows(context, 'messages', id, { claimed_at: ago(context, '90 seconds') })
        return { carrierMessageId: newId() }
      })
      const first = await toAnybody(line)
      expect(await sendMessage(slow, first)).to.deep.equal({ kind: 'sent' })
      expect(await sendMessage(context, await toAnybody(line))).to.include({ kind: 'wait', reason: 'window' })
      await backdate(first, 61)
      await context.redis.flushdb()
      expect(await sendMessage(context, await toAnybody(line))).to.deep.equal({ kind: 'sent' })
    })

    it('count a message that is on its way, and one of which nobody knows', async () => {
      const line = await createLine(context, { ...UNLIMITED, messagesPerMinute: 2 })
      await claimMessage(context, await toAnybody(line))
      const unknown = await toAnybody(line)
      const { claim } = await claimMessage(context, unknown)
      const end = { id: unknown, claim, status: 'unknown', error: 'carrier_outcome_unknown' } as const
      await context.batched.settleMessage(end)
      expect(await sendMessage(context, await toAnybody(line))).to.include({ kind: 'wait', reason: 'window' })
    })

    it('do not count what certainly was not handed over', async () => {
      const line = await createLine(context, { ...UNLIMITED, messagesPerMinute: 1 })
      const id = await toAnybody(line)
      const { claim } = await claimMessage(context, id)
      await context.batched.settleMessage({ id, claim, status: 'queued' })
      expect(await sendMessage(context, await toAnybody(line))).to.deep.equal({ kind: 'sent' })
    })

    it('let nobody take a place of the line who waits for its number', async () => {
      const line = await createLine(context, { messagesPerNumberPerMinute: 2, messagesPerMinute: 8 })
      const ofOne: string[] = []
      for (let n = 0; n < 5; n += 1) ofOne.push(await queueMessage(context, line))
      for (const id of ofOne.slice(0, 2))
        expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
      expect(await sendMessage(context, ofOne[2]!)).to.include({ kind: 'wait', reason: 'window' })
      // Of the eight of the line, six are free, though one to that number waits.
      for (let n = 0; n < 6; n += 1) {
        expect(await sendMessage(context, await toAnybody(line)), `other ${n}`).to.deep.equal({
          kind: 'sent',
        })
      }
      expect(await sendMessage(context, await toAnybody(line))).to.include({ kind: 'wait', reason: 'window' })
    })

    it('are used up to the last place, whoever asks in the same statement without one', async () => {
      const line = await createLine(context, { ...UNLIMITED, messagesPerMinute: 4 })
      const ids: string[] = []
      for (let n = 0; n < 8; n += 1) ids.push(await toAnybody(line))
      // The earlier half has no places and is told so: it must not count before the later half, which has them.
      const answers = await Promise.all(
        ids.map((id, n) =>
          context.batched.claimMessage({ id, claim: newId(), ...(n >= 4 && { placesAt: 'simulator' }) }),
        ),
      )
      expect(answers.map(({ kind }) => kind)).to.deep.equal([
        ...Array<string>(4).fill('crowded'),
        ...Array<string>(4).fill('claimed'),
      ])
    })

    it('are never exceeded by many that are claimed at the same moment, in one statement or several', async () => {
      const line = await createLine(context, { ...UNLIMITED, messagesPerMinute: 5 })
      const ids: string[] = []
      for (let n = 0; n < 20; n += 1) ids.push(await toAnybody(line))
      const answers = await Promise.all(
        ids.map((id, n) =>
          (n % 2 === 0 ? context : other).batched.claimMessage({ id, claim: newId(), placesAt: 'simulator' }),
        ),
      )
      expect(answers.filter(({ kind }) => kind === 'claimed')).to.have.length(5)
      expect(answers.filter(({ kind }) => kind === 'full')).to.have.length(15)
    })

    it('count what another process is claiming, which is waited for', async () => {
      const line = await createLine(context, { ...UNLIMITED, messagesPerMinute: 1 })
      const [first, second] = [await toAnybody(line), await toAnybody(line)]
      const another = await context.db.transaction()
      try {
        const claim = { id: first, claim: newId(), placesAt: 'simulator' }
        expect(await claimMessages(another, [claim], LIMITS)).to.have.nested.property('[0].kind', 'claimed')
        const claiming = context.batched.claimMessage({ id: second, claim: newId(), placesAt: 'simulator' })
        await until('the second waits for the first', async () => (await countWaitingForLocks(context)) === 1)
        await another.commit()
        expect((await claiming).kind).to.equal('full')
      } finally {
        await another.rollback().catch(() => undefined)
      }
    })

    function noClaims({ batched }: Context): Context['batched'] {
      return {
        ...batched,
        claimMessage: (request) => {
          if (request.placesAt !== undefined) throw new Error('Redis let it through')
          return batched.claimMessage(request)
        },
      }
    }
  })
})
