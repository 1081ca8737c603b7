import { expect } from 'chai'
import type { Receipt } from '../../../src/database/messages/receiving.js'
import type { Context } from '../../../src/domain/context.js'
import { receiveMessage, receiveReceipt } from '../../../src/domain/messages/receive.js'
import { sendMessage } from '../../../src/domain/messages/send.js'
import { newId } from '../../../src/ids.js'
import { createTestContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { inboundText, messageRow, queueMessage, UNLIMITED } from '../fixtures.js'

describe('a receipt', () => {
  let context: Context
  let line: TestLine

  before(async () => {
    context = await createTestContext()
    line = await createLine(context, UNLIMITED)
  })
  after(() => context.close())

  async function sentMessage(): Promise<{ id: string; carrierMessageId: string }> {
    const id = await queueMessage(context, line)
    await sendMessage(context, id)
    const { carrier_message_id: carrierMessageId } = await messageRow(context, id)
    return { id, carrierMessageId: carrierMessageId! }
  }

  function report(fields: Partial<Receipt>): Promise<boolean> {
    return receiveReceipt(context, {
      carrier: 'simulator',
      carrierMessageId: newId(),
      status: 'delivered',
      ...fields,
    })
  }

  it('makes a sent message delivered, found by the carrier’s id', async () => {
    const { id, carrierMessageId } = await sentMessage()
    expect(await report({ carrierMessageId })).to.equal(true)
    expect(await messageRow(context, id)).to.include({ status: 'delivered', error: null })
  })

  it('may come twice', async () => {
    const { id, carrierMessageId } = await sentMessage()
    await report({ carrierMessageId })
    const before = await messageRow(context, id)
    expect(await report({ carrierMessageId })).to.equal(false)
    expect(await messageRow(context, id)).to.deep.equal(before)
  })

  it('makes a sent message failed, with the carrier’s reason', async () => {
    const { id, carrierMessageId } = await sentMessage()
    expect(await report({ carrierMessageId, status: 'failed', error: 'no such number' })).to.equal(true)
    expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'no such number' })
  })

  it('that says failed after one that said delivered is ignored', async () => {
    const { id, carrierMessageId } = await sentMessage()
    await report({ carrierMessageId })
    expect(await report({ carrierMessageId, status: 'failed', error: 'late' })).to.equal(false)
    expect(await messageRow(context, id)).to.include({ status: 'delivered', error: null })
  })

  it('that says delivered after one that said failed is ignored', async () => {
    const { id, carrierMessageId } = await sentMessage()
    await report({ carrierMessageId, status: 'failed', error: 'first' })
    expect(await report({ carrierMessageId })).to.equal(false)
    expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'first' })
  })

  for (const status of ['unknown', 'sending'] as const) {
    it(`finds a message that is ${status} by our own id when the carrier’s was never written down`, async () => {
      const id = await queueMessage(context, line, { status, error: 'worker_lost', attempt_count: 1 })
      expect(await report({ messageId: id })).to.equal(true)
      expect(await messageRow(context, id)).to.include({ status: 'delivered', error: null })
    })
  }

  it('does not concern a message that was never sent', async () => {
    const id = await queueMessage(context, line, { to_number: '+15005550177' })
    expect(await report({ messageId: id })).to.equal(false)
    expect(await messageRow(context, id)).to.include({ status: 'queued' })
  })

  it('does not concern a message that was received', async () => {
    const inbound = inboundText(line)
    const outcome = await receiveMessage(context, inbound)
    if (outcome.kind !== 'received') throw new Error(outcome.kind)
    expect(await report({ carrierMessageId: inbound.carrierMessageId })).to.equal(false)
    expect(await messageRow(context, outcome.messageId)).to.include({ status: 'received' })
  })

  it('of another carrier with the same id does not concern the message', async () => {
    const { id, carrierMessageId } = await sentMessage()
    expect(await report({ carrier: 'twilio', carrierMessageId })).to.equal(false)
    expect(await messageRow(context, id)).to.include({ status: 'sent' })
  })

  it('for nobody changes nothing', async () => {
    expect(await report({})).to.equal(false)
  })

  it('with a reason that Postgres cannot hold is kept without what it cannot hold', async () => {
    const { id, carrierMessageId } = await sentMessage()
    await report({ carrierMessageId, status: 'failed', error: 'a\0b\udfff' })
    expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'ab\ufffd' })
  })
})
