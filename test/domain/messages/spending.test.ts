import { expect } from 'chai'
import type { ListedCharge } from '../../../src/carriers/records.js'
import { noteCharges } from '../../../src/database/messages/charges.js'
import type { QueueRequest } from '../../../src/database/messages/queueing.js'
import { queueMessages } from '../../../src/database/messages/queueing.js'
import { listSpending } from '../../../src/database/messages/usage.js'
import { addCarrierAccount } from '../../../src/domain/carriers/carrier-accounts.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { receiveReceipt } from '../../../src/domain/messages/receipts.js'
import { sendMessageAgain } from '../../../src/domain/messages/send-again.js'
import { sendMessage } from '../../../src/domain/messages/send.js'
import { setSpendCap } from '../../../src/domain/messages/spending/spend-caps.js'
import {
  findMonthlyCapsOfLine,
  nextMonth,
  readMonthlyCap,
  setMonthlyCap,
} from '../../../src/domain/messages/spending/monthly-caps.js'
import { pollPrices } from '../../../src/domain/messages/spending/prices.js'
import { flattenUsage, readMonths, readUsage } from '../../../src/domain/messages/spending/usage.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, lineForEachTest } from '../../helpers/factories.js'
import { failure } from '../../helpers/failure.js'
import {
  ago,
  BEN,
  countRows,
  inboundText,
  messageRow,
  queueMessage,
  UNLIMITED,
  withCarrier,
  withCarrierOf,
  post,
  nameAtCarrier,
} from '../fixtures.js'

describeContext('what texts cost', (context) => {
  const line = lineForEachTest(context, UNLIMITED)
  /** This month and what comes, for when it ends meanwhile. */
  const months = { from: readMonths({}).from, until: new Date('2100-01-01T00:00:00Z') }
  const signal = () => AbortSignal.timeout(20_000)

  const sent = (fields: Record<string, unknown> = {}) =>
    queueMessage(context, line, {
      ...{ status: 'sent', sent_at: new Date(), handed_over_at: new Date(), segment_count: 2 },
      ...fields,
    })
  const charge = (id: string, price: string, currency = 'USD') =>
    noteCharges(context.db, [{ id, price, currency }])
  const spending = async () =>
    (await listSpending(context.db, [line.lineId], months)).map(
      ({ currency, amount, messageCount }) => `${amount} ${currency} for ${messageCount}`,
    )

  it('is kept from the carrier’s answer, and from its receipts, the last one counting once', async () => {
    const id = await queueMessage(context, line)
    const carrierMessageId = newId()
    const first = { price: '0.0079', currency: 'USD', segmentCount: 1 }
    const carrier = withCarrier(context, () => Promise.resolve({ carrierMessageId, charge: first }))
    expect((await sendMessage(carrier, id)).kind).to.equal('sent')
    expect(await messageRow(context, id)).to.include({
      ...{ price: '0.0079', currency: 'USD', carrier_segment_count: 1 },
    })
    const receipt = { carrierAccount: 'simulator', carrierMessageId, status: 'delivered' } as const
    for (const price of ['0.0158', '0.0158', '0.0237']) {
      await receiveReceipt(context, { ...receipt, charge: { price, currency: 'USD', segmentCount: 3 } })
    }
    expect(await messageRow(context, id)).to.include({ price: '0.0237', carrier_segment_count: 3 })
    await receiveReceipt(context, receipt)
    expect(await spending()).to.deep.equal(['0.0237 USD for 1'])
  })

  it('is the last of several charges for one message that come together', async () => {
    const id = await sent()
    const prices = ['0.03', '0.01', '0.02']
    await noteCharges(
      context.db,
      prices.map((price) => ({ id, price, currency: 'USD' })),
    )
    expect(await messageRow(context, id)).to.include({ price: '0.02' })
    expect(await spending()).to.deep.equal(['0.02 USD for 1'])
  })

  it('is summed exactly, by line, month and currency, whatever comes at the same time', async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, () => sent()))
    const other = await createLine(context, { userId: line.userId })
    const elsewhere = await queueMessage(context, other, { status: 'sent', handed_over_at: new Date() })
    await Promise.all([...ids, ...ids].map((id) => charge(id, '0.1')))
    await charge(ids[0]!, '0.2')
    await charge(ids[1]!, '7', 'EUR')
    await charge(elsewhere, '5')
    expect(await spending()).to.deep.equal(['7 EUR for 1', '3.0 USD for 29'])
    const lastYear = await sent({ handed_over_at: new Date('2025-12-31T23:59:59Z') })
    await charge(lastYear, '9')
    expect(await spending()).to.deep.equal(['7 EUR for 1', '3.0 USD for 29'])
    const december = { from: new Date('2025-12-01T00:00:00Z'), until: new Date('2026-01-01T00:00:00Z') }
    expect(await listSpending(context.db, [line.lineId], december)).to.have.length(1)
  })

  it('is shown by month and line, with segments as the carrier counts where it says so', async () => {
    const other = await createLine(context, { userId: line.userId })
    const now = { sent_at: new Date(), handed_over_at: new Date() }
    const id = await sent(now)
    await noteCharges(context.db, [{ id, price: '0.0100', currency: 'USD', segmentCount: 3 }])
    await sent(now)
    await sent({ ...now, segment_count: null })
    await queueMessage(context, line, { status: 'failed', handed_over_at: now.handed_over_at })
    await queueMessage(context, other, { status: 'sent', ...now })
    const usage = await readUsage(context, line.userId, months)
    const month = now.handed_over_at.toISOString().slice(0, 7)
    expect(usage).to.deep.equal([
      {
        ...{ month, lineId: line.lineId, messageCount: 3, segmentCount: 6, carrierSegmentCount: 3 },
        prices: [{ currency: 'USD', amount: '0.01', messageCount: 1 }],
      },
      {
        ...{ month, lineId: other.lineId, messageCount: 1, segmentCount: 1, carrierSegmentCount: 0 },
        prices: [],
      },
    ])
    await charge(await sent(now), '4', 'EUR')
    const rows = flattenUsage(await readUsage(context, line.userId, { ...months, lineIds: [line.lineId] }))
    expect(rows.map(({ currency, price, messageCount }) => [currency, price, messageCount])).to.deep.equal([
      ['EUR', '4.00', 4],
      ['USD', '0.01', 0],
    ])
  })

  it('is of months that are named, two dozen at most', () => {
    const now = new Date('2026-01-15T00:00:00Z')
    expect(readMonths({}, now)).to.deep.equal({
      ...{ from: new Date('2025-11-01T00:00:00Z'), until: new Date('2026-02-01T00:00:00Z') },
    })
    expect(readMonths({ from: '2025-12', until: '2025-12' }, now)).to.deep.equal({
      ...{ from: new Date('2025-12-01T00:00:00Z'), until: new Date('2026-01-01T00:00:00Z') },
    })
    for (const [asked, why] of [
      [{ from: '2025-13' }, /^from must be a month such as/],
      [{ from: '2026-02', until: '2026-01' }, /^from must not be later/],
      [{ from: '2023-01' }, /^from and until can span at most 24 months/],
    ] as const) {
      expect(() => readMonths(asked, now)).to.throw(why)
    }
  })

  describe('is asked of a carrier that says it nowhere else', () => {
    const NAME = 'pricey'

    before(async () => {
      const settings = { accountSid: `AC${'0'.repeat(32)}`, authToken: 'x'.repeat(32) }
      await addCarrierAccount(context, { name: NAME, kind: 'twilio', settings })
    })
    beforeEach(async () => {
      await context.db('lines').where({ id: line.lineId }).update({ carrier: NAME })
      await context.db('carrier_accounts').update({ prices_asked_at: null, priced_until: null })
    })

    const named = async () => {
      const carrierMessageId = newId()
      const id = await sent({ carrier: NAME, carrier_message_id: carrierMessageId })
      await nameAtCarrier(context, id, carrierMessageId, NAME)
      return { id, carrierMessageId }
    }
    const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)

    it('from where all have theirs, every ten minutes, by one process', async () => {
      const [first, second] = [await named(), await named()]
      // The carrier gave the same id to an inbound message.
      const { carrierMessageId } = first
      await receiveMessage(context, inboundText(line, { carrierAccount: NAME, carrierMessageId }))
      const asked: Date[] = []
      const late = new Map<string, string>()
      const by = withCarrierOf(context, {
        listCharges: async function* (since) {
          asked.push(since)
          const of = (carrierMessageId: string, minutes: number, price?: string): ListedCharge => ({
            ...{ carrierMessageId, sentAt: minutesAgo(minutes), isFinal: price !== undefined },
            charge: price === undefined ? undefined : { price, currency: 'USD', segmentCount: 2 },
          })
          yield await Promise.resolve([
            of(first.carrierMessageId, 60, '0.01'),
            of(second.carrierMessageId, 30, late.get('price')),
            of('of another program', 20, '5'),
          ])
        },
      })
      expect(await Promise.all([pollPrices(by, signal()), pollPrices(by, signal())])).to.have.members([1, 0])
      expect(await messageRow(context, first.id)).to.include({ price: '0.01', carrier_segment_count: 2 })
      late.set('price', '0.02')
      expect(await pollPrices(by, signal())).to.equal(0)
      await context.db('carrier_accounts').update({ prices_asked_at: ago(context, '11 minutes') })
      expect(await pollPrices(by, signal())).to.equal(2)
      expect(asked[1]!.getTime()).to.be.closeTo(minutesAgo(35).getTime(), 60_000)
      expect(await spending()).to.deep.equal(['0.03 USD for 2'])
    })

    it('although the list has ids that Postgres cannot hold', async () => {
      const { id, carrierMessageId } = await named()
      const charge = { price: '0.01', currency: 'USD' }
      const others = ['of another\0program', 'x'.repeat(10_000)]
      const by = withCarrierOf(context, {
        listCharges: async function* () {
          yield await Promise.resolve(
            [...others, carrierMessageId].map((each) => ({
              ...{ carrierMessageId: each, charge, sentAt: new Date(), isFinal: true },
            })),
          )
        },
      })
      expect(await pollPrices(by, signal())).to.equal(1)
      expect(await messageRow(context, id)).to.include({ price: '0.01' })
    })

    it('again later, when the list broke off', async () => {
      const { id, carrierMessageId } = await named()
      const charge = { price: '0.01', currency: 'USD' }
      const by = withCarrierOf(context, {
        listCharges: async function* () {
          yield await Promise.resolve([{ carrierMessageId, charge, sentAt: new Date(), isFinal: true }])
          throw new Error('broken off')
        },
      })
      expect(await pollPrices(by, signal())).to.equal(1)
      expect(await messageRow(context, id)).to.include({ price: '0.01' })
      const account = await context.db('carrier_accounts').where({ name: NAME }).first<object>('priced_until')
      expect(account).to.deep.equal({ priced_until: null })
    })
  })

  describe('under a monthly cap', () => {
    const ofLine = () => ({ of: 'line', id: line.lineId, userId: line.userId }) as const
    const ofUser = () => ({ of: 'user', id: line.userId }) as const
    const usd = (amount: string) => ({ amount, currency: 'USD' })
    const request = (overrides: Partial<QueueRequest> = {}): QueueRequest => ({
      ...{ messageId: newId(), lineId: line.lineId, source: 'webhook', toNumber: BEN, text: 'x' },
      segmentCount: 1,
      ...overrides,
    })
    const queue = async (...requests: QueueRequest[]) =>
      (await queueMessages(context.db, requests, 1000)).map((answer) =>
        answer instanceof Error ? answer.message : answer.outcome,
      )

    beforeEach(() => context.db('spend_caps').delete())

    it('is accepted until carriers have said that all of it is spent, also before there was a cap', async () => {
      await charge(await sent(), '1.50')
      await setMonthlyCap(context, ofLine(), usd('2'))
      expect(await queue(request(), request())).to.deep.equal(['accepted', 'accepted'])
      await charge(await sent(), '0.50')
      expect(await queue(request(), request({ source: 'service' }))).to.deep.equal([
        'over_monthly_cap',
        'accepted',
      ])
      await setMonthlyCap(context, ofLine(), usd('2.01'))
      expect(await queue(request())).to.deep.equal(['accepted'])
    })

    it('counts all lines of a user together, in its own currency, and begins anew each month', async () => {
      const other = await createLine(context, { ...UNLIMITED, userId: line.userId })
      const elsewhere = await queueMessage(context, other, { status: 'sent', handed_over_at: new Date() })
      await setMonthlyCap(context, ofUser(), usd('3'))
      await charge(elsewhere, '2')
      await charge(await sent(), '100', 'EUR')
      expect(await queue(request())).to.deep.equal(['accepted'])
      await charge(await sent(), '1')
      expect(await queue(request(), request({ lineId: other.lineId }))).to.deep.equal([
        'over_monthly_cap',
        'over_monthly_cap',
      ])
      await context.db('spending').update({ month: context.db.raw(`month - interval '1 month'`) })
      expect(await queue(request())).to.deep.equal(['accepted'])
      expect(nextMonth(new Date('2026-12-31T23:59:59Z')).toISOString()).to.equal('2027-01-01T00:00:00.000Z')
    })

    it('is refused with the cap, the day on which it resets, and until when', async () => {
      await setMonthlyCap(context, ofUser(), usd('3'))
      await charge(await sent(), '3')
      const failed = await queueMessage(context, line, { status: 'failed' })
      const again = () => sendMessageAgain(context, line.userId, failed, newId(), 'api')
      const day = nextMonth().toISOString().slice(0, 10)
      for (const refused of [() => post(context, line), again]) {
        const refusal = await failure(refused())
        expect(refusal).to.include({ status: 429 })
        expect(refusal.message).to.equal(
          `The monthly spending cap is reached: 3.00 USD for all its user's lines, resets on ${day} (UTC)`,
        )
        expect((refusal as { retryAfterSeconds?: number }).retryAfterSeconds).to.be.within(1, 31 * 86_400)
      }
    })

    it('stands beside a daily cap, and each can be taken away alone', async () => {
      await setMonthlyCap(context, ofLine(), usd('5'))
      await setSpendCap(context, ofLine(), 1)
      expect(await queue(request(), request())).to.deep.equal(['accepted', 'over_cap'])
      await setSpendCap(context, ofLine(), null)
      expect(await queue(request())).to.deep.equal(['accepted'])
      await charge(await sent(), '4')
      const [cap] = await findMonthlyCapsOfLine(context, { id: line.lineId, userId: line.userId })
      expect(cap).to.deep.include({ of: 'line', amount: '5', currency: 'USD', spent: '4', isNear: true })
      expect(cap).to.include({ isUsedUp: false })
      await setMonthlyCap(context, ofLine(), null)
      expect(await countRows(context, 'spend_caps')).to.equal(0)
    })

    it('is an amount above nothing with its currency', () => {
      expect(['', 'none', '50 USD', '0.5eur'].map(readMonthlyCap)).to.deep.equal([
        ...[null, null],
        ...[
          { amount: '50', currency: 'USD' },
          { amount: '0.5', currency: 'EUR' },
        ],
      ])
      for (const wrong of ['0 USD', '50', '-1 USD', '1,5 USD', 'USD 5', '5 dollars']) {
        expect(() => readMonthlyCap(wrong), wrong).to.throw('amount must be a value such as 50 USD')
      }
    })
  })
})
