import { expect } from 'chai'
import { sendMessage } from '../../../src/domain/messages/send.js'
import {
  readOutbox,
  sendSimulatedReceipts,
  simulateInbound,
  type SimulatedInbound,
} from '../../../src/domain/simulator/simulator.js'
import { newId } from '../../../src/ids.js'
import { describeContext, joinService } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { ANNA, BEN, messageRow, queueMessage, queueMessages, UNLIMITED } from '../fixtures.js'
import { refusal } from '../refusal.js'

const HOSTED = 'http://localhost:3000/media/TOKEN'

describeContext('the simulator', (context) => {
  const sameService = joinService(context)
  let line: TestLine

  beforeEach(async () => {
    await context.db('simulator_outbox').delete()
    line = await createLine(context, UNLIMITED)
  })

  const status = async (id: string) => (await messageRow(context, id)).status

  async function sendOne(toNumber = ANNA): Promise<string> {
    const id = await queueMessage(context, line, { to_number: toNumber })
    await sendMessage(context, id)
    return id
  }

  describe('sends receipts', () => {
    it('for every message that it took, once', async () => {
      const ids = [await sendOne(), await sendOne(BEN)]
      expect(await sendSimulatedReceipts(context)).to.equal(2)
      expect(await Promise.all(ids.map(status))).to.deep.equal(['delivered', 'delivered'])
      expect(await sendSimulatedReceipts(context)).to.equal(0)
    })

    it('also for a message whose worker was lost: unknown becomes delivered', async () => {
      const id = await sendOne()
      await context
        .db('messages')
        .where({ id })
        .update({ status: 'unknown', error: 'worker_lost', carrier_message_id: null })
      await context.db('carrier_message_ids').where({ message_id: id }).delete()
      expect(await sendSimulatedReceipts(context)).to.equal(1)
      expect(await messageRow(context, id)).to.include({ status: 'delivered', error: null })
    })

    it('that change nothing for a message that is over', async () => {
      const id = await sendOne()
      await context.db('messages').where({ id }).update({ status: 'failed', error: 'carrier said so' })
      expect(await sendSimulatedReceipts(context)).to.equal(0)
      expect(await messageRow(context, id)).to.include({ status: 'failed', error: 'carrier said so' })
      expect(await context.db('simulator_outbox').whereNull('receipt_sent_at').select()).to.deep.equal([])
    })

    it('not for a message that is just being written, but the next time', async () => {
      const [busy, free] = [await sendOne(), await sendOne(BEN)]
      const other = await context.db.transaction()
      try {
        await other('messages').where({ id: busy }).forUpdate().select()
        expect(await sendSimulatedReceipts(context)).to.equal(1)
        expect([await status(busy), await status(free)]).to.deep.equal(['sent', 'delivered'])
      } finally {
        await other.rollback()
      }
      expect(await sendSimulatedReceipts(context)).to.equal(1)
      expect(await status(busy)).to.equal('delivered')
    })

    it('once when two processes do it at the same time', async () => {
      const ids = await queueMessages(context, line, 20)
      for (const id of ids) await sendMessage(context, id)
      const counts = await Promise.all([sendSimulatedReceipts(context), sendSimulatedReceipts(sameService)])
      expect(counts[0] + counts[1]).to.equal(20)
    })

    it('500 at a time, the oldest first, and past messages that are no more', async () => {
      await context.db.raw(
        `insert into simulator_outbox (carrier_message_id, message_id, from_number, to_number)
         select overlay(uuidv7()::text placing lpad(to_hex(n), 8, '0') from 29)::uuid, uuidv7(), '+15550000000', '+15550000001'
         from generate_series(1, 500) n`,
      )
      const id = await sendOne()
      expect(await sendSimulatedReceipts(context)).to.equal(0)
      expect(await status(id)).to.equal('sent')
      expect(await sendSimulatedReceipts(context)).to.equal(1)
    })
  })

  describe('shows its outbox', () => {
    it('newest first', async () => {
      const ids = [await sendOne(), await sendOne(BEN)]
      const outbox = await readOutbox(context, undefined)
      expect(outbox.map(({ messageId }) => messageId)).to.deep.equal(ids.toReversed())
      const { takenAt, carrierMessageId, ...rest } = outbox[0]!
      expect(takenAt).to.be.a('date')
      expect(carrierMessageId).to.be.a('string')
      expect(rest).to.deep.equal({
        messageId: ids[1],
        fromNumber: line.number,
        toNumber: BEN,
        text: 'Hello',
        mediaUrl: null,
      })
    })

    it('of one number, however it is written', async () => {
      const [toAnna] = [await sendOne(), await sendOne(BEN)]
      for (const written of [ANNA, ANNA.slice(1), '+1 (500) 555-0101']) {
        expect((await readOutbox(context, written)).map(({ messageId }) => messageId)).to.deep.equal([toAnna])
      }
    })

    it('of something that is a number', async () => {
      expect(await refusal((async () => readOutbox(context, 'nobody'))())).to.deep.equal({
        status: 400,
        message: 'toNumber must be a phone number, such as +15551234567',
      })
    })
  })

  describe('brings a message', () => {
    const bring = (fields: Partial<SimulatedInbound>) =>
      simulateInbound(context, { fromNumber: ANNA, toNumber: line.number, ...fields })

    for (const [fields, content] of [
      [{ text: 'Hi' }, { type: 'inboundText', payload: 'Hi' }],
      [{ mediaUrl: 'https://example.com/a.png' }, { type: 'inboundMedia', payload: HOSTED }],
      [{ voicemailUrl: 'https://example.com/v.mp3' }, { type: 'voiceMail', payload: HOSTED }],
    ] as const) {
      it(`of type ${content.type}`, async () => {
        const outcome = await bring(fields)
        if (outcome.kind !== 'received') throw new Error(outcome.kind)
        const event = await context
          .db('events')
          .where({ message_id: outcome.messageId })
          .first<{ type: string; payload: string }>('type', 'payload')
        expect({ ...event, payload: event.payload.replace(/[\w-]{43}$/, 'TOKEN') }).to.deep.equal(content)
      })
    }

    it('once under one id, and twice without', async () => {
      expect(await bring({ text: 'Hi', messageId: 'sim-1' })).to.include({ kind: 'received' })
      expect(await bring({ text: 'Hi', messageId: 'sim-1' })).to.deep.equal({ kind: 'repeat' })
      expect(await bring({ text: 'Hi' })).to.include({ kind: 'received' })
      expect(await bring({ text: 'Hi' })).to.include({ kind: 'received' })
    })

    it('whose id may be any text', async () => {
      expect(await bring({ text: 'Hi', messageId: 'a\0b\ud800' })).to.include({ kind: 'received' })
    })

    for (const fields of [{}, { text: '' }, { text: 'Hi', mediaUrl: 'https://example.com/a.png' }]) {
      it(`with one content, unlike ${JSON.stringify(fields)}`, async () => {
        expect(await refusal(bring(fields))).to.deep.equal({
          status: 400,
          message: 'give exactly one of text, mediaUrl and voicemailUrl',
        })
      })
    }

    for (const field of ['fromNumber', 'toNumber'] as const) {
      it(`with a ${field} that is a number`, async () => {
        expect(await refusal(bring({ text: 'Hi', [field]: 'nobody' }))).to.deep.equal({
          status: 400,
          message: `${field} must be a phone number, such as +15551234567`,
        })
      })
    }

    it('to no line of another carrier, of which it leaves nothing', async () => {
      const name = 'twilio-main'
      await context
        .db('carrier_accounts')
        .insert({ id: newId(), name, kind: 'twilio', handles_opt_out: true })
      await context.db('lines').where({ id: line.lineId }).update({ carrier: name })
      expect(await refusal(bring({ text: 'STOP' }))).to.include({ status: 404 })
      for (const table of ['messages', 'events', 'line_peers']) {
        expect(await context.db(table).where({ line_id: line.lineId }).select(), table).to.deep.equal([])
      }
    })

    it('to a number of a line', async () => {
      expect(await refusal(bring({ text: 'Hi', toNumber: '+15005550666' }))).to.deep.equal({
        status: 404,
        message: 'toNumber is not the number of a line at the simulator: see `linehook line list`',
      })
    })
  })
})
