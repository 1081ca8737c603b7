import { expect } from 'chai'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { sendMessage } from '../../../src/domain/messages/send.js'
import { submitToIncomingWebhook } from '../../../src/domain/messages/submit.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'
import {
  ANNA,
  BEN,
  claimMessage,
  dueInMs,
  hasMessageJob,
  inboundText,
  messageRow,
  queueMessage,
  queueMessages,
} from '../fixtures.js'

describeContext('an inbound message clears the windows of its sender', (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { messagesPerNumberPerMinute: 2, messagesPerMinute: 5 })
  })

  async function submit(toNumber: string): Promise<string> {
    const webhook = await context.batched.findOpenIncomingWebhook(line.lineId)
    const answer = await submitToIncomingWebhook(context, webhook!, {
      toNumber,
      text: 'Hello',
      idempotencyKey: undefined,
    })
    return answer.outcome
  }

  async function receiveGivesTurnTo(id: string): Promise<void> {
    const { job_generation: before } = await messageRow(context, id)
    await receiveMessage(context, inboundText(line))
    await until('the head has a new job', () => hasMessageJob(context, id, before + 1))
    expect(await dueInMs(context, 'messages', id)).to.be.below(1)
  }

  it('for accepting, at once', async () => {
    expect([await submit(ANNA), await submit(ANNA), await submit(ANNA)]).to.deep.equal([
      'accepted',
      'accepted',
      'rate_limited',
    ])
    await receiveMessage(context, inboundText(line))
    expect([await submit(ANNA), await submit(ANNA), await submit(ANNA)]).to.deep.equal([
      'accepted',
      'accepted',
      'rate_limited',
    ])
  })

  it('but not those of other numbers, nor the line’s own', async () => {
    const outcomes = [await submit(BEN), await submit(BEN), await submit(ANNA), await submit(ANNA)]
    expect(new Set(outcomes)).to.deep.equal(new Set(['accepted']))
    await receiveMessage(context, inboundText(line))
    expect(await submit(BEN)).to.equal('rate_limited')
    expect(await submit(ANNA)).to.equal('accepted')
    expect(await submit(ANNA)).to.equal('rate_limited')
  })

  it('for sending: the message that waits for its slot gets its turn at once', async () => {
    const ids = await queueMessages(context, line, 4)
    for (const id of ids.slice(0, 2)) await sendMessage(context, id)
    const [, , head, next] = ids
    expect(await sendMessage(context, head!)).to.include({ kind: 'wait', reason: 'window' })

    await receiveGivesTurnTo(head!)
    expect(await sendMessage(context, head!)).to.deep.equal({ kind: 'sent' })
    await until('the next has a new job', () => hasMessageJob(context, next!, 1))
    expect(await sendMessage(context, next!)).to.deep.equal({ kind: 'sent' })
  })

  it('for sending, but leaves the line’s window and other numbers waiting', async () => {
    const toAnna = await queueMessages(context, line, 3, { to_number: ANNA })
    const toBen = await queueMessages(context, line, 4, { to_number: BEN })
    for (const id of [...toAnna.slice(0, 2), ...toBen.slice(0, 2)]) {
      expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
    }
    await receiveGivesTurnTo(toAnna[2]!)
    expect(await sendMessage(context, toBen[2]!)).to.include({ kind: 'wait' })
    expect(await sendMessage(context, toAnna[2]!)).to.deep.equal({ kind: 'sent' })
    const sixth = await queueMessage(context, line, { to_number: ANNA })
    expect(await sendMessage(context, sixth)).to.include({ kind: 'wait' })
  })

  it('for sending: also for a message that is told to wait while the window is being cleared', async () => {
    const [first, second, head] = await queueMessages(context, line, 3)
    for (const id of [first, second]) expect(await sendMessage(context, id!)).to.deep.equal({ kind: 'sent' })
    const windows = { ...context.windows }
    let wasTold = false
    context.windows.clear = async (keys) => {
      Object.assign(context.windows, windows)
      expect(await sendMessage(context, head!)).to.include({ kind: 'wait', reason: 'window' })
      wasTold = true
      await windows.clear(keys)
    }
    await receiveMessage(context, inboundText(line))
    await until('the head was told to wait', () => wasTold)
    await until('the head has its turn', async () => (await messageRow(context, head!)).not_before === null)
    expect(await sendMessage(context, head!)).to.deep.equal({ kind: 'sent' })
  })

  it('and makes no job for a message that is in the carrier’s hands', async () => {
    const [sending, behind] = await queueMessages(context, line, 2)
    await claimMessage(context, sending!)
    await receiveMessage(context, inboundText(line))
    // The window of the next number is cleared after the first one's: when that has a job, the first is done.
    const other = await queueMessage(context, line, { to_number: BEN })
    await receiveMessage(context, inboundText(line, { fromNumber: BEN }))
    await until('the other has a new job', () => hasMessageJob(context, other, 1))
    expect(await messageRow(context, sending!)).to.include({ status: 'sending', job_generation: 0 })
    expect(await messageRow(context, behind!)).to.include({ job_generation: 0 })
  })
})
