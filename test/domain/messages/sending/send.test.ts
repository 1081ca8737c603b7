import { expect } from 'chai'
import type { Context } from '../../../../src/domain/context.js'
import { setLineStatus } from '../../../../src/domain/lines/lines.js'
import { receiveMessage } from '../../../../src/domain/messages/receive.js'
import { sendMessage } from '../../../../src/domain/messages/send.js'
import { newId } from '../../../../src/ids.js'
import { describeContext, joinService } from '../../../helpers/context.js'
import { createLine } from '../../../helpers/factories.js'
import { inboundText, messageRow, queueMessage, takenMessages, withCarrier } from '../../fixtures.js'

describeContext('sendMessage', (context) => {
  const sameService = joinService(context)

  it('hands a queued message to the carrier of its line and keeps the carrier’s id', async () => {
    const line = await createLine(context)
    const id = await queueMessage(context, line, { text: 'Hello, world' })
    expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })

    const row = await messageRow(context, id)
    expect(row).to.include({ status: 'sent', error: null, attempt_count: 1, lease_until: null })
    expect(row.sent_at).to.be.a('date')
    const taken = await context.db('simulator_outbox').where({ message_id: id }).select<object[]>()
    expect(taken).to.have.length(1)
    expect(taken[0]).to.include({
      carrier_message_id: row.carrier_message_id,
      from_number: line.number,
      to_number: row.to_number,
      text: 'Hello, world',
      media_url: null,
    })
    expect(
      await context
        .db('carrier_message_ids')
        .where({ message_id: id })
        .select('carrier', 'carrier_message_id'),
    ).to.deep.equal([{ carrier: 'simulator', carrier_message_id: row.carrier_message_id }])
  })

  for (const status of ['sending', 'sent', 'delivered', 'failed', 'unknown']) {
    it(`leaves a message alone that is ${status}`, async () => {
      const id = await queueMessage(context, await createLine(context), { status, attempt_count: 1 })
      const before = await messageRow(context, id)
      expect(await sendMessage(context, id)).to.deep.equal({ kind: 'skipped' })
      expect(await messageRow(context, id)).to.deep.equal(before)
      expect(await context.db('simulator_outbox').where({ message_id: id }).select()).to.deep.equal([])
    })
  }

  it('does nothing for an id that is no message', async () => {
    expect(await sendMessage(context, newId())).to.deep.equal({ kind: 'skipped' })
  })

  it('sends once when two processes work on the same message at the same time', async () => {
    const line = await createLine(context)
    const id = await queueMessage(context, line)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) => sendMessage(n % 2 === 0 ? context : sameService, id)),
    )
    expect(outcomes.filter(({ kind }) => kind === 'sent')).to.have.length(1)
    expect(outcomes.filter(({ kind }) => kind === 'skipped')).to.have.length(19)
    expect((await takenMessages(context)).filter((taken) => taken === id)).to.have.length(1)
    expect(await messageRow(context, id)).to.include({ status: 'sent', attempt_count: 1 })
  })

  describe('fails a message for good, without asking the carrier,', () => {
    const noCarrierCall = (given: Context) =>
      withCarrier(given, () => Promise.reject(new Error('the carrier was asked')))

    it('when it is older than its time to live', async () => {
      const id = await queueMessage(context, await createLine(context), {
        created_at: context.db.raw(`now() - interval '4 hours 1 second'`),
      })
      expect(await sendMessage(noCarrierCall(context), id)).to.deep.equal({
        kind: 'failed',
        error: 'expired',
      })
      expect(await messageRow(context, id)).to.include({
        status: 'failed',
        error: 'expired',
        attempt_count: 0,
      })
    })

    it('but not while it is just younger', async () => {
      const id = await queueMessage(context, await createLine(context), {
        created_at: context.db.raw(`now() - interval '3 hours 59 minutes'`),
      })
      expect(await sendMessage(context, id)).to.deep.equal({ kind: 'sent' })
    })

    it('when its recipient has opted out since it was accepted', async () => {
      const line = await createLine(context)
      const id = await queueMessage(context, line)
      await receiveMessage(context, inboundText(line, { content: { type: 'inboundText', text: 'Stop' } }))
      expect(await sendMessage(noCarrierCall(context), id)).to.deep.equal({
        kind: 'failed',
        error: 'opted_out',
      })
      expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'opted_out' })
    })

    it('when its line has been disabled since', async () => {
      const line = await createLine(context)
      const id = await queueMessage(context, line)
      await setLineStatus(context, line.userId, line.lineId, 'disabled')
      expect(await sendMessage(noCarrierCall(context), id)).to.deep.equal({
        kind: 'failed',
        error: 'line_disabled',
      })
      expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'line_disabled' })
    })

    it('when the carrier of its line is not set up here', async () => {
      const line = await createLine(context)
      const id = await queueMessage(context, line)
      const without: Context = {
        ...context,
        carriers: { ...context.carriers, get: () => Promise.resolve(undefined) },
      }
      expect(await sendMessage(without, id)).to.deep.equal({ kind: 'failed', error: 'carrier_missing' })
      expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'carrier_missing' })
    })
  })

  it('takes no place in the windows for a message that is over', async () => {
    const line = await createLine(context, { messagesPerNumberPerMinute: 1 })
    const over = await queueMessage(context, line, { status: 'delivered' })
    const fresh = await queueMessage(context, line)
    expect(await sendMessage(context, over)).to.deep.equal({ kind: 'skipped' })
    expect(await sendMessage(context, fresh)).to.deep.equal({ kind: 'sent' })
  })

  it('takes no place in the windows for a message that fails', async () => {
    const line = await createLine(context, { messagesPerNumberPerMinute: 1 })
    const expired = await queueMessage(context, line, {
      created_at: context.db.raw(`now() - interval '1 day'`),
    })
    const fresh = await queueMessage(context, line)
    expect(await sendMessage(context, expired)).to.deep.equal({ kind: 'failed', error: 'expired' })
    expect(await sendMessage(context, fresh)).to.deep.equal({ kind: 'sent' })
  })
})
