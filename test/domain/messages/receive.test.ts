import { expect } from 'chai'
import { disableConnection, setLineEndpointUrl } from '../../../src/domain/lines/connections.js'
import { setLineStatus } from '../../../src/domain/lines/lines.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { describeContext, joinService } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { until } from '../../helpers/until.js'
import { ANNA, countRows, hasDeliveryJob, inboundText, messageRow, receiveForDelivery } from '../fixtures.js'

const TABLES = ['messages', 'events', 'deliveries', 'line_peers', 'carrier_message_ids']

describeContext('receiveMessage', (context) => {
  const sameService = joinService(context)
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { outgoingUrl: 'http://127.0.0.1:9/events' })
  })

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
      media_url: null,
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
    const jobsBefore = await context.queues.deliverEvent.count()
    const inbound = inboundText(line)
    await context.db.raw(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'no room'; end $$;
      create trigger refuse before insert on deliveries for each row execute function refuse()`)
    try {
      const thrown: unknown = await receiveMessage(context, inbound).catch((error: unknown) => error)
      expect(String(thrown)).to.include('no room')
    } finally {
      await context.db.raw('drop function refuse cascade')
    }
    expect(await counts()).to.deep.equal(before)
    expect(await context.queues.deliverEvent.count()).to.equal(jobsBefore)
    expect(await receiveMessage(context, inbound)).to.include({ kind: 'received', deliveryCount: 1 })
  })

  it('enqueues nothing before the commit', async () => {
    const jobsBefore = await context.queues.deliverEvent.count()
    // Fails at the commit itself, when every statement has succeeded.
    await context.db.raw(`
      create function refuse() returns trigger language plpgsql as $$ begin raise 'no commit'; end $$;
      create constraint trigger refuse after insert or update on line_peers deferrable initially deferred
        for each row execute function refuse()`)
    try {
      const thrown: unknown = await receiveMessage(context, inboundText(line)).catch(
        (error: unknown) => error,
      )
      expect(String(thrown)).to.include('no commit')
    } finally {
      await context.db.raw('drop function refuse cascade')
    }
    // A job of a later message is behind whatever the failed one might have enqueued.
    const { id } = await receiveForDelivery(context, line)
    await until('the next delivery has a job', () => hasDeliveryJob(context, id, 0))
    expect(await context.queues.deliverEvent.count()).to.equal(jobsBefore + 1)
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

  it('takes one of several parallel repeats', async () => {
    const inbound = inboundText(line)
    const before = await countRows(context, 'messages')
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, n) => receiveMessage(n % 2 === 0 ? context : sameService, inbound)),
    )
    expect(outcomes.filter(({ kind }) => kind === 'received')).to.have.length(1)
    expect(outcomes.filter(({ kind }) => kind === 'repeat')).to.have.length(7)
    expect(await countRows(context, 'messages')).to.equal(before + 1)
  })

  it('takes messages of two carriers with the same id for two', async () => {
    const inbound = inboundText(line)
    await receiveMessage(context, inbound)
    expect(await receiveMessage(context, { ...inbound, carrierAccount: 'twilio' })).to.include({
      kind: 'received',
    })
  })

  it('refuses a message for a number that no line has, and leaves nothing', async () => {
    const before = await counts()
    const thrown: unknown = await receiveMessage(
      context,
      inboundText(line, { toNumber: '+15005550666' }),
    ).catch((error: unknown) => error)
    expect(thrown).to.include({ name: 'UserError', status: 404 })
    expect((thrown as Error).message).to.equal(
      'no line of simulator has this number: see `linehook line list`',
    )
    expect(await counts()).to.deep.equal(before)
  })

  describe('makes the message and the event but no delivery', () => {
    async function receivesWithoutDelivery(): Promise<void> {
      const [messages = 0, events = 0, deliveries = 0] = await counts()
      expect(await receiveMessage(context, inboundText(line))).to.include({
        kind: 'received',
        deliveryCount: 0,
      })
      expect((await counts()).slice(0, 3)).to.deep.equal([messages + 1, events + 1, deliveries])
    }

    it('for a line without an outgoing webhook URL', async () => {
      await setLineEndpointUrl(context, line.userId, line.lineId, undefined)
      await receivesWithoutDelivery()
    })

    it('for a line whose developer connection is disabled', async () => {
      await disableConnection(context, line.userId, line.lineId)
      await receivesWithoutDelivery()
    })

    it('for a line that was never connected', async () => {
      await context.db('developer_connections').where({ line_id: line.lineId }).delete()
      await receivesWithoutDelivery()
    })

    it('for a disabled line', async () => {
      await setLineStatus(context, line.userId, line.lineId, 'disabled')
      await receivesWithoutDelivery()
    })
  })

  it('holds the delivery when the endpoint is disabled, and enqueues nothing', async () => {
    await context
      .db('endpoints')
      .where({ user_id: line.userId })
      .update({ disabled_at: context.db.fn.now(), disabled_reason: 'failing' })
    const delivery = await receiveForDelivery(context, line)
    expect(delivery).to.include({ status: 'held', attempt_count: 0 })
    expect(await hasDeliveryJob(context, delivery.id, 0)).to.equal(false)
  })
})
