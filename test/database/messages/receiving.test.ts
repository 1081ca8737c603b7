import { expect } from 'chai'
import fc from 'fast-check'
import { getCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { receiveMessage, type ReceiveOutcome } from '../../../src/domain/messages/receive.js'
import { newId } from '../../../src/ids.js'
import { connect, createApplication } from '../../domain/applications/applications.js'
import { inboundText, queueMessages } from '../../domain/fixtures.js'
import { describeContext, joinService } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { addTwilio } from '../../web/carrier-callbacks/support.js'

const NUMBERS = ['+15005550111', '+15005550112', '+15005550113']
/** The line has answered this one ten times in the last minute. */
const LIVELY = NUMBERS[0]!
const ENDPOINT = { outgoingUrl: 'http://127.0.0.1:9/events' }

interface Planned {
  line: number
  number: number
  /** Of the carrier; the same one is brought again. */
  carrierId: number
  words: string
}

const planned = fc.record<Planned>({
  line: fc.nat(2),
  number: fc.constantFrom(0, 0, 0, 1, 2),
  carrierId: fc.nat(40),
  words: fc.constantFrom('one', 'two', 'three', 'four', 'STOP', 'START', 'HELP', 'photo'),
})
const plan = fc.array(fc.array(planned, { minLength: 1, maxLength: 16 }), { minLength: 1, maxLength: 3 })

describeContext('a batch of messages that carriers bring', (context) => {
  const sameService = joinService(context)
  const counted = joinService(context)
  let application: { id: string }

  before(async () => {
    application = await createApplication(context, { webhookUrl: 'http://127.0.0.1:9/application' })
  })

  /** With an endpoint that asks for `optOut`, with one that is disabled, and with none but an application's. */
  async function createLines(): Promise<TestLine[]> {
    const { db } = context
    const [asking, failing, connected] = [
      await createLine(context, { ...ENDPOINT, optInEvents: ['optOut'] }),
      await createLine(context, ENDPOINT),
      await createLine(context),
    ]
    await db('endpoints').where({ user_id: failing.userId }).update({ disabled_at: db.fn.now() })
    await connect(context, application, connected)
    for (const line of [asking, failing, connected]) {
      await queueMessages(context, line, 10, { to_number: LIVELY, status: 'sent', sent_at: new Date() })
    }
    return [asking, failing, connected]
  }

  function bring(lines: readonly TestLine[], prefix: string, each: Planned): Promise<ReceiveOutcome> {
    const { line, number, carrierId, words } = each
    return receiveMessage(
      context,
      inboundText(lines[line]!, {
        carrierMessageId: `${prefix} ${carrierId}`,
        fromNumber: NUMBERS[number]!,
        content:
          words === 'photo'
            ? { type: 'inboundMedia', urls: ['http://127.0.0.1:9/photo'] }
            : { type: 'inboundText', text: words },
      }),
    )
  }

  const inWords = (outcome: ReceiveOutcome) =>
    outcome.kind === 'received' ? `received, ${outcome.deliveryCount} deliveries` : outcome.kind

  /** What there is of a line, without ids and times, and in the order of ids where there is one. */
  async function rowsOf({ lineId: line_id }: TestLine): Promise<object> {
    const { db } = context
    const list = (table: string, columns: string[], order = 'id') =>
      db(table)
        .where({ line_id })
        .orderBy(order)
        .select<object[]>(columns.map((column) => db.raw(column)))
    return {
      received: await list('messages', ['from_number', 'text', 'type', 'status', 'source']).where({
        direction: 'inbound',
      }),
      answers: await list('messages', ['to_number', 'text', 'status'], 'position').where({
        source: 'service',
      }),
      events: await db('events')
        .where({ line_id })
        .orderBy('id')
        .whereNot({ type: 'optOut' })
        .select('type', 'from_number', db.raw(`case type when 'inboundText' then payload end as payload`)),
      // They are made when the others are, and their ids too.
      optOuts: await list('events', ['from_number', 'payload']).where({ type: 'optOut' }),
      deliveries: await list('deliveries', ['type', 'from_number', 'status', 'application_id']).whereNot({
        type: 'optOut',
      }),
      optOutDeliveries: await list('deliveries', ['from_number', 'status']).where({ type: 'optOut' }),
      media: await list('media', ['purpose', 'source_url', 'carrier', 'status']),
      contacts: await list(
        'line_peers',
        [
          'number',
          'cardinality(heard_at) as heard',
          'window_cleared_at is not null as cleared',
          'opted_out_at is not null as opted_out',
          'opted_in_at is not null as opted_in',
          'help_answered_at is not null as helped',
          'paused_until is not null as paused',
          `(select m.text from messages m where m.id = opt_out_answer_id) as answer`,
        ],
        'number',
      ),
    }
  }

  it('leaves what the same messages one after the other do', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (batches) => {
        const [together, alone] = [await createLines(), await createLines()]
        const [first, second] = [newId(), newId()]
        for (const batch of batches) {
          const one: ReceiveOutcome[] = []
          for (const each of batch) one.push(await bring(alone, first, each))
          const all = await Promise.all(batch.map((each) => bring(together, second, each)))
          expect(all.map(inWords)).to.deep.equal(one.map(inWords))
        }
        for (const n of [0, 1, 2]) expect(await rowsOf(together[n]!)).to.deep.equal(await rowsOf(alone[n]!))
      }),
      { numRuns: 8, interruptAfterTimeLimit: 30_000 },
    )
  })

  it('keeps the order in which they arrived: of messages, events and deliveries', async () => {
    const line = await createLine(context, ENDPOINT)
    const texts = Array.from({ length: 150 }, (_, n) => `text ${n}`)
    await Promise.all(
      texts.map((text) =>
        receiveMessage(context, inboundText(line, { content: { type: 'inboundText', text } })),
      ),
    )
    const { db } = context
    const of = (table: string) => db(table).where({ [`${table}.line_id`]: line.lineId })
    expect(await of('messages').orderBy('id').pluck('text')).to.deep.equal(texts)
    expect(await of('messages').orderBy('created_at').pluck('text')).to.deep.equal(texts)
    expect(await of('events').orderBy('id').pluck('payload')).to.deep.equal(texts)
    const delivered = await of('deliveries')
      .join('events as e', 'e.id', 'deliveries.event_id')
      .orderBy('deliveries.id')
      .pluck('e.payload')
    expect(delivered).to.deep.equal(texts)
  })

  it('takes each once, however often two processes bring it at once', async () => {
    const line = await createLine(context, ENDPOINT)
    const inbound = Array.from({ length: 20 }, () => inboundText(line))
    const brought = [...inbound, ...inbound.toReversed(), ...inbound]
    const outcomes = await Promise.all(
      [context, sameService].flatMap((each) => brought.map((one) => receiveMessage(each, one))),
    )
    expect(outcomes.filter(({ kind }) => kind === 'received')).to.have.length(20)
    expect(outcomes.filter(({ kind }) => kind === 'repeat')).to.have.length(100)
    const rows = await context.db('deliveries').where({ line_id: line.lineId })
    expect(rows).to.have.length(20)
  })

  it('refuses what is for no line, and takes the others', async () => {
    const line = await createLine(context)
    const stray = inboundText(line, { toNumber: '+15005550666' })
    const outcomes = await Promise.allSettled(
      [inboundText(line), stray, inboundText(line)].map((each) => receiveMessage(context, each)),
    )
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['fulfilled', 'rejected', 'fulfilled'])
    expect(outcomes[1]).to.have.nested.property('reason.status', 404)
    const ids = context.db('carrier_message_ids').where({ carrier_message_id: stray.carrierMessageId })
    expect(await ids, 'it is no repeat once the line is there').to.deep.equal([])
  })

  it('takes in what accounts brought that are as they were remembered, to lines at them, and nothing else', async () => {
    const { id, version } = await getCarrierAccount(context, 'simulator')
    const line = await createLine(context)
    await addTwilio(context, 'twilio')
    const elsewhere = await createLine(context, { carrierAccount: 'twilio' })
    const changed = (n: number) => ({ account: { id, version: version + n } })
    const brought = [
      inboundText(line, { account: { id, version } }),
      inboundText(line, changed(1)),
      inboundText(line, { ...changed(-1), content: { type: 'inboundText', text: 'STOP' } }),
      inboundText(line, { account: { id: newId(), version } }),
      inboundText(line, { ...changed(1), toNumber: '+15005550666' }),
      inboundText(elsewhere, { account: { id, version } }),
      inboundText(elsewhere),
      inboundText(line),
    ]
    const outcomes = await Promise.allSettled(brought.map((each) => receiveMessage(context, each)))
    const inShort = outcomes.map((each) =>
      each.status === 'fulfilled' ? each.value.kind : (each.reason as Error).name,
    )
    const refused = ['AccountChanged', 'AccountChanged', 'AccountChanged', 'AccountChanged', 'UserError']
    expect(inShort).to.deep.equal(['received', ...refused, 'received', 'received'])
    const ids = brought.map(({ carrierMessageId }) => carrierMessageId)
    const rows = await context
      .db('messages')
      .whereIn('carrier_message_id', ids)
      .orderBy('id')
      .pluck('line_id')
    expect(rows).to.deep.equal([line.lineId, elsewhere.lineId, line.lineId])
    const claimed = await context.db('carrier_message_ids').whereIn('carrier_message_id', ids)
    expect(claimed).to.have.length(3)
  })

  it('is one statement', async () => {
    const line = await createLine(context, ENDPOINT)
    const statements: string[] = []
    counted.db.on('query', ({ sql }: { sql: string }) => statements.push(sql))
    await Promise.all(NUMBERS.map((fromNumber) => receiveMessage(counted, inboundText(line, { fromNumber }))))
    expect(statements).to.have.length(1)
    expect(statements[0]).to.match(/from receive_messages\(\$1::jsonb\)$/)
  })
})
