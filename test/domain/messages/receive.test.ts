import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { disableConnection, setLineEndpointUrl } from '../../../src/domain/lines/connections.js'
import { setLineStatus } from '../../../src/domain/lines/lines.js'
import { receiveMessage, type InboundMessage } from '../../../src/domain/messages/receive.js'
import { receiveReceipt } from '../../../src/domain/messages/receipts.js'
import { sendMessage } from '../../../src/domain/messages/send.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'
import { mediaRow } from '../../helpers/media.js'
import {
  receiveNew,
  sendNew,
  submit,
  changeRows,
  ANNA,
  countRows,
  hasDeliveryJob,
  inboundText,
  messageRow,
  receiveForDelivery,
  BEN,
  claimMessage,
  dueInMs,
  hasMessageJob,
  queueMessage,
  queueMessages,
  mediaAt,
} from '../fixtures.js'
import { expectRefusal } from '../refusal.js'
import { failure } from '../../helpers/failure.js'

const SCRIPTS = 'Grüße 👩‍👩‍👧 مرحبا \n\t "quoted" \\u0000 '
const TABLES = ['messages', 'events', 'deliveries', 'line_peers', 'carrier_message_ids']

describeContext('receiving a message', (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/events' })
  })

  /** Those of other tests may still be on their way to Redis. */
  const jobsOfLine = async () =>
    (await context.queues.deliverEvent.getJobs()).filter(({ data }) => data.endpointId === line.endpointId)
  const counts = () => Promise.all(TABLES.map((table) => countRows(context, table)))

  it('writes the message, its event and a delivery for the line’s endpoint, and enqueues the delivery', async () => {
    const inbound = inboundText(line)
    const outcome = await receiveMessage(context, inbound)
    if (outcome.kind !== 'received') throw new Error(outcome.kind)
    expect(outcome.deliveryCount).to.equal(1)

    expect(await messageRow(context, outcome.messageId)).to.include({
      direction: 'inbound',
      source: 'carrier',
      status: 'received',
      from_number: ANNA,
      to_number: line.number,
      text: 'Hi there',
      media_urls: null,
      carrier_message_id: inbound.carrierMessageId,
    })
    const events = await context
      .db('events')
      .where({ message_id: outcome.messageId })
      .select<{ id: string }[]>()
    expect(events).to.have.length(1)
    expect(events[0]).to.include({
      user_id: line.userId,
      line_id: line.lineId,
      type: 'inboundText',
      payload: 'Hi there',
      from_number: ANNA,
      to_number: line.number,
    })
    const deliveries = await context
      .db('deliveries')
      .where({ event_id: events[0]!.id })
      .select<{ id: string }[]>()
    expect(deliveries).to.have.length(1)
    expect(deliveries[0]).to.include({
      user_id: line.userId,
      line_id: line.lineId,
      status: 'pending',
      attempt_count: 0,
      job_generation: 0,
    })
    await until('the delivery has a job', () => hasDeliveryJob(context, deliveries[0]!.id, 0))
  })

  it('leaves nothing when its last row cannot be written, and takes the same message later', async () => {
    const before = await counts()
    const inbound = inboundText(line)
    await context.db.raw(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'no room'; end $$;
    create trigger refuse before insert on deliveries for each row execute function refuse()`)
    try {
      expect((await failure(receiveMessage(context, inbound))).message).to.include('no room')
    } finally {
      await context.db.raw('drop function refuse cascade')
    }
    expect(await counts()).to.deep.equal(before)
    expect(await jobsOfLine()).to.have.length(0)
    expect(await receiveMessage(context, inbound)).to.include({ kind: 'received', deliveryCount: 1 })
  })

  it('enqueues nothing before the commit', async () => {
    // Fails at the commit itself, when every statement has succeeded.
    await context.db.raw(`
    create function refuse() returns trigger language plpgsql as $$ begin raise 'no commit'; end $$;
    create constraint trigger refuse after insert or update on line_peers deferrable initially deferred
      for each row execute function refuse()`)
    try {
      expect((await failure(receiveMessage(context, inboundText(line)))).message).to.include('no commit')
    } finally {
      await context.db.raw('drop function refuse cascade')
    }
    // A job of a later message is behind whatever the failed one might have enqueued.
    const { id } = await receiveForDelivery(context, line)
    await until('the next delivery has a job', () => hasDeliveryJob(context, id, 0))
    expect(await jobsOfLine()).to.have.length(1)
  })

  it('does nothing again when the carrier brings a message again', async () => {
    const inbound = inboundText(line)
    expect(await receiveMessage(context, inbound)).to.include({ kind: 'received' })
    const before = await counts()
    const contactBefore: unknown = await context.db('line_peers').where({ line_id: line.lineId }).first()
    expect(await receiveMessage(context, inbound)).to.deep.equal({ kind: 'repeat' })
    const otherText = { ...inbound, content: { type: 'inboundText', text: 'STOP' } } as const
    expect(await receiveMessage(context, otherText)).to.deep.equal({ kind: 'repeat' })
    expect(await counts()).to.deep.equal(before)
    expect(await context.db('line_peers').where({ line_id: line.lineId }).first()).to.deep.equal(
      contactBefore,
    )
  })

  it('takes a message whose id or sender is longer than an index holds, once', async () => {
    const long = randomBytes(3000).toString('base64')
    for (const fields of [
      { carrierMessageId: long },
      { fromNumber: long },
      { carrierMessageId: `${long}2` },
    ]) {
      const inbound = inboundText(line, fields)
      expect(await receiveMessage(context, inbound)).to.include({ kind: 'received' })
      expect(await receiveMessage(context, inbound)).to.deep.equal({ kind: 'repeat' })
    }
    const events = await context
      .db('events')
      .where({ line_id: line.lineId })
      .select<{ from_number: string }[]>()
    expect(events).to.have.length(3)
    expect(events.filter(({ from_number: from }) => from.startsWith(long.slice(0, 100)))).to.have.length(1)
  })

  it('takes messages of two carriers with the same id for two', async () => {
    const inbound = inboundText(line)
    for (const carrierAccount of ['simulator', 'twilio']) {
      expect(await receiveMessage(context, { ...inbound, carrierAccount })).to.include({ kind: 'received' })
    }
  })

  it('takes a message with the id of one that we sent, once, and a report still finds the one that we sent', async () => {
    const id = await sendNew(context, line)
    const { carrier_message_id: carrierMessageId } = await messageRow(context, id)
    const inbound = inboundText(line, { carrierMessageId: carrierMessageId! })
    expect(await receiveMessage(context, inbound)).to.include({ kind: 'received' })
    expect(await receiveMessage(context, inbound)).to.deep.equal({ kind: 'repeat' })
    await receiveReceipt(context, {
      carrierAccount: 'simulator',
      carrierMessageId: carrierMessageId!,
      status: 'delivered',
    })
    expect(await messageRow(context, id)).to.include({ status: 'delivered' })
  })

  it('does so too when the one that we sent comes second', async () => {
    const inbound = inboundText(line)
    const { carrierMessageId } = inbound
    await receiveMessage(context, inbound)
    const id = await queueMessage(context, line, { status: 'sent', carrier_message_id: carrierMessageId })
    const ids = [{ carrier: 'simulator', carrier_message_id: carrierMessageId, message_id: id }]
    await context.db.raw('select note_carrier_ids(?::jsonb)', [JSON.stringify(ids)])
    expect(await receiveMessage(context, inbound)).to.deep.equal({ kind: 'repeat' })
    await receiveReceipt(context, { carrierAccount: 'simulator', carrierMessageId, status: 'delivered' })
    expect(await messageRow(context, id)).to.include({ status: 'delivered' })
    expect(await context.db('carrier_message_ids_again').where({ message_id: id })).to.deep.equal([])
  })

  it('refuses a message for a number that no line has, and leaves nothing', async () => {
    const before = await counts()
    const stray = receiveMessage(context, inboundText(line, { toNumber: '+15005550666' }))
    await expectRefusal(stray, 404, 'No line of simulator has this number. See `linehook line list`')
    expect(await counts()).to.deep.equal(before)
  })

  for (const [what, prepare] of [
    [
      'without an outgoing webhook URL',
      () => setLineEndpointUrl(context, line.userId, line.lineId, undefined),
    ],
    ['whose connection is disabled', () => disableConnection(context, line.userId, line.lineId)],
    [
      'that was never connected',
      () => context.db('developer_connections').where({ line_id: line.lineId }).delete(),
    ],
    ['that is disabled', () => setLineStatus(context, line.userId, line.lineId, 'disabled')],
  ] as const) {
    it(`makes the message and the event but no delivery for a line ${what}`, async () => {
      await prepare()
      const [messages = 0, events = 0, deliveries = 0] = await counts()
      const outcome = await receiveMessage(context, inboundText(line))
      expect(outcome).to.include({ kind: 'received', deliveryCount: 0 })
      expect((await counts()).slice(0, 3)).to.deep.equal([messages + 1, events + 1, deliveries])
    })
  }

  it('holds the delivery when the endpoint is disabled, and enqueues nothing', async () => {
    const disabled = { disabled_at: context.db.fn.now(), disabled_reason: 'failing' }
    await changeRows(context, 'endpoints', line.endpointId, disabled)
    const delivery = await receiveForDelivery(context, line)
    expect(delivery).to.include({ status: 'held', attempt_count: 0 })
    expect(await hasDeliveryJob(context, delivery.id, 0)).to.equal(false)
  })

  describe('the content of a received message', () => {
    async function receive(overrides: Partial<InboundMessage>) {
      const id = await receiveNew(context, line, overrides)
      const event = context.db('events').where({ message_id: id })
      return {
        message: await messageRow(context, id),
        event: await event.first<{ type: string; payload: string }>('type', 'payload'),
      }
    }

    const optedOut = () =>
      context.db('line_peers').where({ line_id: line.lineId }).whereNotNull('opted_out_at').pluck('number')

    const text = (body: string) => ({ content: { type: 'inboundText', text: body } }) as const

    for (const type of ['inboundMedia', 'voiceMail'] as const) {
      it(`of type ${type} is an event of this type with the URL of our copy as its payload`, async () => {
        const url = 'https://media.example.com/a?b=c'
        const { message, event } = await receive({ content: mediaAt(url, type) })
        const media = await mediaRow(context, message.id)
        const hosted = `${context.config.publicUrl}/media/${media.token}`
        expect(message).to.deep.include({ text: null, media_urls: [hosted] })
        expect(event).to.deep.equal({ type, payload: hosted })
        expect(media).to.include({ source_url: url, carrier: 'simulator', status: 'pending' })
      })
    }

    for (const [what, given, kept] of [
      ['may be an empty text', '', ''],
      ['is kept as it is, whatever the script', SCRIPTS, SCRIPTS],
      ['loses only NUL characters and lone surrogates', 'a\0b\ud83d c\udc00', 'ab\ufffd c\ufffd'],
    ] as const) {
      it(what, async () => {
        const { message, event } = await receive(text(given))
        expect(message.text).to.equal(kept)
        expect(event).to.deep.equal({ type: 'inboundText', payload: kept })
      })
    }

    it('opts nobody out or in by other words', async () => {
      await receive(text('please do not stop'))
      expect(await optedOut()).to.deep.equal([])
      await receive(text('STOP'))
      await receive(text('What is this?'))
      await receive({ content: { type: 'inboundMedia', urls: ['https://media.example.com/STOP'] } })
      expect(await optedOut()).to.deep.equal([ANNA])
    })

    it('takes STOP to a number with a NUL character, as it takes another text', async () => {
      for (const text of ['STOP', 'Hi']) {
        const content = { type: 'inboundText', text } as const
        const inbound = inboundText(line, { toNumber: `${line.number}\0`, content })
        expect(await receiveMessage(context, inbound), text).to.include({ kind: 'received' })
      }
    })

    it('STOP concerns its sender and its line only', async () => {
      await receive({ fromNumber: BEN })
      await receive(text('STOP'))
      expect(await optedOut()).to.deep.equal([ANNA])
      line = await createLine(context)
      await receive({})
      expect(await optedOut()).to.deep.equal([])
    })
  })

  describe('an inbound message clears the windows of its sender', () => {
    beforeEach(async () => {
      line = await createLine(context, { messagesPerNumberPerMinute: 2, messagesPerMinute: 5 })
    })

    const submitTo = async (...numbers: string[]) => {
      const outcomes: string[] = []
      for (const toNumber of numbers) {
        outcomes.push((await submit(context, line.lineId, { toNumber })).outcome)
      }
      return outcomes
    }

    async function receiveGivesTurnTo(id: string): Promise<void> {
      const { job_generation: before } = await messageRow(context, id)
      await receiveMessage(context, inboundText(line))
      await until('the head has a new job', () => hasMessageJob(context, id, before + 1))
      expect(await dueInMs(context, 'messages', id)).to.be.below(1)
    }

    it('for accepting, at once', async () => {
      for (let n = 0; n < 2; n += 1) {
        expect(await submitTo(ANNA, ANNA, ANNA)).to.deep.equal(['accepted', 'accepted', 'rate_limited'])
        await receiveMessage(context, inboundText(line))
      }
    })

    it('but not those of other numbers, nor the line’s own', async () => {
      expect(new Set(await submitTo(BEN, BEN, ANNA, ANNA))).to.deep.equal(new Set(['accepted']))
      await receiveMessage(context, inboundText(line))
      expect(await submitTo(BEN, ANNA, ANNA)).to.deep.equal(['rate_limited', 'accepted', 'rate_limited'])
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
      for (const id of [first, second])
        expect(await sendMessage(context, id!)).to.deep.equal({ kind: 'sent' })
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
})
