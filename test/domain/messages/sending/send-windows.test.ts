import { expect } from 'chai'
import { requeueHeads } from '../../../../src/database/messages/requeueing.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import type { SendOutcome } from '../../../../src/domain/messages/send-outcome.js'
import { describeContext } from '../../../helpers/context.js'
import { createLine } from '../../../helpers/factories.js'
import {
  ANNA,
  BEN,
  CLEO,
  dueAfterMs,
  messageRow,
  queueMessage,
  queueMessages,
  sendWhenDue,
} from '../../fixtures.js'

describeContext('the sending windows of a line', (context) => {
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
    expect(await messageRow(context, ids[2]!)).to.include({ status: 'queued', attempt_count: 0, error: null })
    expect(await dueAfterMs(context, 'messages', ids[2]!, since)).to.be.within(
      third.ms - 5,
      third.ms + 10_000,
    )
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

  it('of one number do not hold up another number', async () => {
    const line = await createLine(context, { messagesPerNumberPerMinute: 1 })
    const full = await queueMessages(context, line, 2, { to_number: ANNA })
    await sendAll(full)
    const [other] = await sendAll([await queueMessage(context, line, { to_number: BEN })])
    expect(other).to.deep.equal({ kind: 'sent' })
  })

  it('count all numbers of the line together as well', async () => {
    const line = await createLine(context, { messagesPerMinute: 2 })
    const ids = [
      await queueMessage(context, line, { to_number: ANNA }),
      await queueMessage(context, line, { to_number: BEN }),
      await queueMessage(context, line, { to_number: CLEO }),
    ]
    const [first, second, third] = await sendAll(ids)
    expect([first?.kind, second?.kind]).to.deep.equal(['sent', 'sent'])
    expect(third).to.include({ kind: 'wait', reason: 'window' })
    expect(await messageRow(context, ids[2]!)).to.include({ status: 'queued', attempt_count: 0 })
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

  it('are taken by no more than the limit when many are sent at the same time', async () => {
    const line = await createLine(context, { messagesPerMinute: 5, messagesPerNumberPerMinute: 1 })
    const ids: string[] = []
    for (let n = 0; n < 20; n += 1) {
      ids.push(await queueMessage(context, line, { to_number: `+1500555${1000 + n}` }))
    }
    const outcomes = await Promise.all(ids.map((id) => sendWhenDue(context, id)))
    expect(outcomes.filter(({ kind }) => kind === 'sent')).to.have.length(5)
    expect(outcomes.filter(({ kind }) => kind === 'wait')).to.have.length(15)
  })
})
