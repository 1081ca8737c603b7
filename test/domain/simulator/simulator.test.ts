import { expect } from 'chai'
import { sampleRecording } from '../../../src/domain/simulator/sample-recording.js'
import { sendMessage } from '../../../src/domain/messages/send.js'
import {
  readOutbox,
  sendSimulatedReceipts,
  simulateInbound,
  type SimulatedInbound,
} from '../../../src/domain/simulator/simulator.js'
import { newId } from '../../../src/ids.js'
import { describeContext, joinService } from '../../helpers/context.js'
import { lineForEachTest } from '../../helpers/factories.js'
import { sendNew, changeRows, ANNA, BEN, messageRow, queueMessages, UNLIMITED } from '../fixtures.js'
import { expectRefusal } from '../refusal.js'

describe('the sample recording', () => {
  const file = sampleRecording()
  const samples = Array.from({ length: (file.length - 44) / 2 }, (_, at) => file.readInt16LE(44 + at * 2))

  it('is a WAV file whose header fits its length: PCM, mono, 16 bit, 8,000 a second', () => {
    expect(file.toString('latin1', 0, 4)).to.equal('RIFF')
    expect(file.toString('latin1', 8, 16)).to.equal('WAVEfmt ')
    expect(file.toString('latin1', 36, 40)).to.equal('data')
    expect(file.readUInt32LE(4)).to.equal(file.length - 8)
    expect(file.readUInt32LE(40)).to.equal(file.length - 44)
    expect([16, 20, 22, 24, 28, 32, 34].map((at) => file.readUInt16LE(at))).to.deep.equal([
      16, 1, 1, 8000, 16_000, 2, 16,
    ])
  })

  it('lasts a second and can be heard, without a click at its ends', () => {
    expect(samples).to.have.length(8000)
    expect(Math.max(...samples)).to.be.within(0x2000, 0x7fff)
    expect(Math.min(...samples)).to.be.within(-0x8000, -0x2000)
    const jumps = samples.map((sample, at) => Math.abs(sample - (samples[at - 1] ?? 0)))
    expect(Math.max(...jumps)).to.be.below(6000)
    expect([samples[0], Math.abs(samples.at(-1) ?? 1) < 50]).to.deep.equal([0, true])
  })

  it('is always the same', () => {
    expect(sampleRecording().equals(file)).to.be.true
  })
})

const HOSTED = 'http://localhost:3000/media/TOKEN'

describeContext('the simulator', (context) => {
  const sameService = joinService(context)

  const line = lineForEachTest(context, UNLIMITED)
  beforeEach(async () => {
    await context.db('simulator_outbox').delete()
  })

  const status = async (id: string) => (await messageRow(context, id)).status

  async function sendOne(toNumber = ANNA): Promise<string> {
    const id = await sendNew(context, line, { to_number: toNumber })
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
      await changeRows(context, 'messages', id, {
        status: 'unknown',
        error: 'worker_lost',
        carrier_message_id: null,
      })
      await context.db('carrier_message_ids').where({ message_id: id }).delete()
      expect(await sendSimulatedReceipts(context)).to.equal(1)
      expect(await messageRow(context, id)).to.include({ status: 'delivered', error: null })
    })

    it('that change nothing for a message that is over', async () => {
      const id = await sendOne()
      await changeRows(context, 'messages', id, { status: 'failed', error: 'carrier said so' })
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
        mediaUrls: [],
      })
    })

    it('of one number, however it is written', async () => {
      const [toAnna] = [await sendOne(), await sendOne(BEN)]
      for (const written of [ANNA, ANNA.slice(1), '+1 (500) 555-0101']) {
        expect((await readOutbox(context, written)).map(({ messageId }) => messageId)).to.deep.equal([toAnna])
      }
    })

    it('of something that is a number', async () => {
      const refused = (async () => readOutbox(context, 'nobody'))()
      await expectRefusal(refused, 400, 'toNumber must be a phone number, such as +15551234567')
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

    for (const fields of [{}, { text: '' }, { text: 'Hi', voicemailUrl: 'https://example.com/v.mp3' }]) {
      it(`with a content, unlike ${JSON.stringify(fields)}`, async () => {
        await expectRefusal(
          bring(fields),
          400,
          'Give text, mediaUrl (or mediaUrls) or both, or voicemailUrl alone',
        )
      })
    }

    for (const field of ['fromNumber', 'toNumber'] as const) {
      it(`with a ${field} that is a number`, async () => {
        const refused = bring({ text: 'Hi', [field]: 'nobody' })
        await expectRefusal(refused, 400, `${field} must be a phone number, such as +15551234567`)
      })
    }

    it('to no line of another carrier, of which it leaves nothing', async () => {
      const name = 'twilio-main'
      await context
        .db('carrier_accounts')
        .insert({ id: newId(), name, kind: 'twilio', handles_opt_out: true })
      await changeRows(context, 'lines', line.lineId, { carrier: name })
      await expectRefusal(bring({ text: 'STOP' }), 404)
      for (const table of ['messages', 'events', 'line_peers']) {
        expect(await context.db(table).where({ line_id: line.lineId }).select(), table).to.deep.equal([])
      }
    })

    it('to a number of a line', async () => {
      await expectRefusal(
        bring({ text: 'Hi', toNumber: '+15005550666' }),
        404,
        'toNumber is not a simulator line. See `linehook line list`',
      )
    })
  })
})
