import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { CarrierRefused } from '../../../src/carriers/carrier.js'
import { contentOf } from '../../../src/carriers/records.js'
import { setRoutes } from '../../../src/domain/lines/routes.js'
import { catchUp } from '../../../src/domain/messages/catch-up.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { newId } from '../../../src/ids.js'
import { describeContext, joinService } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { withCarrierOf, ANNA, BEN, inboundText, messageRow, sendNew } from '../fixtures.js'
import { newSid } from '../../carriers/twilio/stand-in.js'

const PICTURE = 'https://api.example.com/media/1'
const ANOTHER = 'https://api.example.com/media/2'

/** A message as the carrier has it; the parts in the order of its list. */
interface Had {
  id: string
  from?: string
  text?: string
  urls?: string[]
  minutesAgo?: number
  toNumber?: string
}

describeContext('catching up on what lines have received', (context) => {
  const other = joinService(context)
  let line: TestLine
  let had: Had[]
  let asked: { numbers: readonly string[]; since: Date }[]
  let readIds: string[]
  let fault: Error | undefined

  beforeEach(async () => {
    await context.db('messages').delete()
    await context.db('media').delete()
    await context.db('lines').delete()
    await context
      .db('carrier_accounts')
      .update({ received_until: null, received_asked_at: null, created_at: ago(10_000) })
    line = await createLine(context)
    await context.db('lines').update({ created_at: ago(5000) })
    had = []
    asked = []
    readIds = []
    fault = undefined
  })

  const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000)

  /** The same context, with a carrier that has what the test says. */
  const withMessages = (process = context) =>
    withCarrierOf(process, {
      async *listReceived(numbers, since) {
        asked.push({ numbers, since })
        yield had.map((each) => ({
          receivedAt: ago(each.minutesAgo ?? 5),
          id: each.id,
          read: () => {
            readIds.push(each.id)
            return Promise.resolve({
              fromNumber: each.from ?? ANNA,
              toNumber: each.toNumber ?? line.number,
              content: contentOf(each.text ?? '', each.urls ?? []),
            })
          },
        }))
        if (fault) throw fault
      },
    })

  const pass = (isStart = true, by = withMessages(), { signal } = new AbortController()) =>
    catchUp(by, { isStart, signal })
  const until = async () =>
    (await context.db('carrier_accounts').first<{ received_until: Date | null }>()).received_until
  const events = () => context.db('events').where({ line_id: line.lineId }).orderBy('id').pluck('payload')
  const received = () =>
    context
      .db('messages as m')
      .leftJoin('media as c', 'c.message_id', 'm.id')
      .where({ 'm.line_id': line.lineId, 'm.direction': 'inbound' })
      .orderBy(['m.id', 'c.id'])
      .select<{ id: string; text: string | null; url: string | null }[]>({
        id: 'm.carrier_message_id',
        text: 'm.text',
        url: 'c.source_url',
      })
  const bring = (carrierMessageId: string, fields: Parameters<typeof inboundText>[1] = {}) =>
    receiveMessage(context, inboundText(line, { carrierMessageId, ...fields }))

  it('brings what no callback has brought, once, with its event', async () => {
    had = [{ id: newSid('SM'), text: 'Where are you?' }]
    expect(await pass()).to.equal(1)
    expect(await pass()).to.equal(0)
    expect(await events()).to.deep.equal(['Where are you?'])
    expect(readIds).to.have.length(1)
  })

  it('brings a message whose id is longer than an index holds, and one whose id has a NUL character, once', async () => {
    const [long, nul] = [randomBytes(3000).toString('base64'), `\0${newSid('SM')}`]
    had = [
      { id: long, text: 'one' },
      { id: nul, text: 'two' },
    ]
    expect(await pass()).to.equal(2)
    expect(await pass()).to.equal(0)
    expect(await events()).to.have.members(['one', 'two'])
    for (const id of [long, nul]) expect((await bring(id)).kind).to.equal('repeat')
  })

  it('doubles nothing that a callback has brought, nor what one brings afterwards', async () => {
    const [before, after] = [newSid('SM'), newSid('SM')]
    await bring(before)
    had = [
      { id: before, text: 'Hi there' },
      { id: after, text: 'And again' },
    ]
    expect(await pass()).to.equal(1)
    expect(readIds).to.deep.equal([after])
    expect((await bring(after)).kind).to.equal('repeat')
    expect(await received()).to.have.length(2)
  })

  describe('of a line with a second entry for the same account of its carrier', () => {
    beforeEach(async () => {
      await context
        .db('carrier_accounts')
        .insert({ id: newId(), name: 'second', kind: 'simulator', created_at: ago(10_000) })
      await setRoutes(context, { userId: line.userId, id: line.lineId }, [{ carrier: 'second' }])
    })
    afterEach(() => context.db('carrier_accounts').where({ name: 'second' }).delete())

    it('doubles nothing that a callback has brought to either', async () => {
      const [first, second] = [newSid('SM'), newSid('SM')]
      await bring(first)
      await bring(second, { carrierAccount: 'second' })
      had = [{ id: first }, { id: second }]
      expect(await pass()).to.equal(0)
      expect(asked, 'both are asked').to.have.length(2)
      expect(await received()).to.have.length(2)
    })

    it('brings what two processes list at the same moment once', async () => {
      had = Array.from({ length: 20 }, () => ({ id: newSid('SM') }))
      const passes = await Promise.all([pass(), pass(true, withMessages(other))])
      expect(passes[0] + passes[1]).to.equal(20)
      expect(await received()).to.have.length(20)
    })

    it('brings what both list once, and a late callback to either is a repeat', async () => {
      const id = newSid('SM')
      had = [{ id, text: 'Hi there' }]
      expect(await pass()).to.equal(1)
      expect(await events()).to.deep.equal(['Hi there'])
      expect((await bring(id)).kind).to.equal('repeat')
      expect((await bring(id, { carrierAccount: 'second' })).kind).to.equal('repeat')
    })
  })

  it('brings a message with the id of one that we sent', async () => {
    const { carrier_message_id: id } = await messageRow(context, await sendNew(context, line))
    had = [{ id: id!, text: 'Hi there' }]
    expect(await pass()).to.equal(1)
    expect(await pass()).to.equal(0)
    expect(await events()).to.deep.equal(['Hi there'])
  })

  it('brings a message with several media as one', async () => {
    const id = newSid('SM')
    had = [{ id, text: 'Look', urls: [PICTURE, ANOTHER] }]
    expect(await pass()).to.equal(1)
    expect(await received()).to.deep.equal([
      { id, text: 'Look', url: PICTURE },
      { id, text: 'Look', url: ANOTHER },
    ])
    expect(await pass()).to.equal(0)
  })

  it('asks for the last day at first, then from where all was in, and a while before that', async () => {
    await pass()
    const first = await until()
    expect(first?.getTime()).to.be.closeTo(Date.now(), 60_000)
    await pass()
    expect(asked[0]?.numbers).to.deep.equal([line.number])
    expect(asked[0]?.since.getTime()).to.be.closeTo(ago(24 * 60 + 30).getTime(), 60_000)
    expect(asked[1]?.since.getTime()).to.equal((first?.getTime() ?? 0) - 30 * 60_000)
  })

  it('does not go on from a pass that failed: what it did not reach is asked for again', async () => {
    await pass()
    const before = await until()
    had = [{ id: newSid('SM'), text: 'first page' }]
    fault = new CarrierRefused('Twilio failed at it (503)')
    expect(await pass()).to.equal(1)
    expect(await until()).to.deep.equal(before)
    fault = undefined
    await pass()
    expect(asked.at(-1)?.since).to.deep.equal(asked.at(-2)?.since)
    expect(await until()).to.be.greaterThan(before!)
  })

  it('takes in the others when one cannot be taken in, and does not go on from there', async () => {
    const bad = newSid('SM')
    had = [
      { id: bad, text: 'cannot be read' },
      { id: newSid('SM'), text: 'can' },
    ]
    const broken = withMessages()
    broken.batched = {
      ...broken.batched,
      receiveMessage: (inbound) => {
        if (readIds.at(-1) === bad) throw new Error('a bug')
        return context.batched.receiveMessage(inbound)
      },
    }
    expect(await pass(true, broken)).to.equal(1)
    expect(await until()).to.equal(null)
    expect(await pass()).to.equal(1)
    expect(await until()).not.to.equal(null)
  })

  it('leaves what is so new that its callback may be on its way to the next time', async () => {
    had = [{ id: newSid('SM'), text: 'just now', minutesAgo: 0 }]
    expect(await pass()).to.equal(0)
    had[0]!.minutesAgo = 2
    expect(await pass()).to.equal(1)
  })

  it('brings what came while the clock of its process is an hour behind', async () => {
    const clock = Date.now
    try {
      Date.now = () => clock() - 60 * 60_000
      had = [{ id: newSid('SM'), text: 'five minutes ago', minutesAgo: -55 }]
      expect(await pass()).to.equal(1)
    } finally {
      Date.now = clock
    }
  })

  it('brings nothing from before the number was a line, and nothing of other numbers', async () => {
    had = [
      { id: newSid('SM'), text: 'before', minutesAgo: 5001 },
      { id: newSid('SM'), text: 'elsewhere', toNumber: '+15005550177' },
      { id: newSid('SM'), text: 'since', minutesAgo: 4999 },
    ]
    expect(await pass()).to.equal(1)
    expect(await events()).to.deep.equal(['since'])
  })

  it('brings nothing that is so old that retention may have deleted the ids of what came with it', async () => {
    await context.db('carrier_accounts').update({ received_until: ago(4500) })
    const daysAgo = (days: number) => days * 24 * 60
    had = [
      { id: newSid('SM'), text: 'old', minutesAgo: daysAgo(2) + 1 },
      { id: newSid('SM'), text: 'kept', minutesAgo: daysAgo(2) - 60 },
    ]
    const messages = withMessages()
    expect(
      await pass(true, { ...messages, config: { ...messages.config, messageRetentionDays: 2 } }),
    ).to.equal(1)
    expect(asked[0]?.since.getTime()).to.be.within(ago(daysAgo(2)).getTime(), ago(daysAgo(2) - 60).getTime())
    expect(await events()).to.deep.equal(['kept'])
  })

  it('asks every few minutes, once for all processes, and at the start of a process at once', async () => {
    await Promise.all([pass(false), pass(false), pass(false)])
    expect(asked).to.have.length(1)
    await pass(false)
    expect(asked).to.have.length(1)
    await pass(true)
    expect(asked).to.have.length(2)
    await context.db('carrier_accounts').update({ received_asked_at: ago(4) })
    await pass(false)
    expect(asked).to.have.length(3)
  })

  it('stops at once when the process does, and goes on later', async () => {
    const stopping = new AbortController()
    stopping.abort()
    had = [{ id: newSid('SM'), text: 'Hi' }]
    expect(await pass(true, withMessages(), stopping)).to.equal(0)
    expect(await until()).to.equal(null)
    expect(await pass()).to.equal(1)
  })

  describe('STOP that comes late', () => {
    const optedOut = async () =>
      context.db('line_peers').where({ line_id: line.lineId }).whereNotNull('opted_out_at').pluck('number')
    const answers = () => context.db('messages').where({ source: 'service' }).pluck('to_number')

    it('opts out, and is answered once', async () => {
      const id = newSid('SM')
      had = [{ id, from: BEN, text: 'STOP' }]
      await pass()
      await pass()
      await bring(id, { fromNumber: BEN, content: { type: 'inboundText', text: 'STOP' } })
      expect(await optedOut()).to.deep.equal([BEN])
      expect(await answers()).to.deep.equal([BEN])
    })

    it('does not undo the START that came after it', async () => {
      await bring(newSid('SM'), { fromNumber: BEN, content: { type: 'inboundText', text: 'STOP' } })
      await bring(newSid('SM'), { fromNumber: BEN, content: { type: 'inboundText', text: 'START' } })
      had = [{ id: newSid('SM'), from: BEN, text: 'STOP' }]
      expect(await pass()).to.equal(1)
      expect(await optedOut()).to.deep.equal([])
      expect(await answers()).to.have.length(2)
    })
  })
})
