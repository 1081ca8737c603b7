import { randomBytes } from 'node:crypto'
import { expect } from 'chai'
import { CarrierRefused, type UnknownMessage } from '../../../src/carriers/carrier.js'
import type { SentRecord } from '../../../src/carriers/records.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { reconcile } from '../../../src/domain/messages/reconcile.js'
import { newId } from '../../../src/ids.js'
import { describeContext } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import {
  ago,
  ahead,
  changeRows,
  withCarrierOf,
  BEN,
  inboundText,
  messageRow,
  queueMessage,
  toldReasons,
  UNLIMITED,
  nameAtCarrier,
} from '../fixtures.js'

describeContext('reconciling messages whose outcome is unknown', (context) => {
  let line: TestLine
  /** What the carrier was asked, and what it has. */
  let asked: UnknownMessage[]
  let findSent: (message: UnknownMessage) => Promise<SentRecord[]>

  before(async () => {
    line = await createLine(context, UNLIMITED)
  })
  beforeEach(async () => {
    await context.db('messages').delete()
    asked = []
    findSent = () => Promise.resolve([])
  })

  /** The same context, whose carriers answer as the test says. */
  const withRecords = () =>
    withCarrierOf(context, {
      findSent: (message) => {
        asked.push(message)
        return findSent(message)
      },
    })

  const secondsAgo = (seconds: number) => ago(context, `${seconds} seconds`)

  function unknown(seconds: number, fields: Record<string, unknown> = {}): Promise<string> {
    return queueMessage(context, line, {
      status: 'unknown',
      error: 'carrier_outcome_unknown',
      claimed_at: secondsAgo(seconds),
      ...fields,
    })
  }

  const moveClaim = (id: string, seconds: number) =>
    changeRows(context, 'messages', id, { claimed_at: secondsAgo(seconds) })

  const record = (fields: Partial<SentRecord> = {}): SentRecord => ({
    carrierMessageId: newId(),
    status: 'sent',
    ...fields,
  })

  it('a message that the carrier has becomes known by its record', async () => {
    const records = [
      record({ status: 'delivered' }),
      record(),
      record({ status: 'failed', error: 'no such phone', carrierCode: '30005' }),
    ]
    for (const each of records) {
      findSent = () => Promise.resolve([each])
      const id = await unknown(10)
      expect(await reconcile(withRecords())).to.equal(1)
      expect(await messageRow(context, id)).to.include({
        status: each.status,
        error: each.error ?? null,
        carrier_message_id: each.carrierMessageId,
        attempt_count: 0,
      })
    }
  })

  it('what the code of its record means is told', async () => {
    await context.db('carrier_accounts').insert({ id: newId(), name: 'twilio-main', kind: 'twilio' })
    const asking = { outgoingUrl: 'http://127.0.0.1:9/events', optInEvents: ['messageStatus'] }
    const own = await createLine(context, { ...UNLIMITED, ...asking })
    await changeRows(context, 'lines', own.lineId, { carrier: 'twilio-main' })
    await unknown(10, { line_id: own.lineId, user_id: own.userId })
    findSent = () => Promise.resolve([record({ status: 'failed', error: 'gone', carrierCode: '30005' })])
    await reconcile(withRecords())
    expect(await toldReasons(context, own.lineId)).to.deep.equal(['invalid_number'])
  })

  it('the carrier is told what the message was', async () => {
    const id = await unknown(10, { to_number: BEN, text: 'Table at eight' })
    const { claimed_at: claimedAt } = await context.db('messages').where({ id }).first<{ claimed_at: Date }>()
    await reconcile(withRecords())
    expect(asked).to.have.length(1)
    expect(asked[0]).to.include({ fromNumber: line.number, toNumber: BEN, text: 'Table at eight' })
    expect(asked[0]?.claimedAt).to.deep.equal(claimedAt)
  })

  it('the carrier is asked once at each step, and not before the first', async () => {
    const id = await unknown(1)
    for (const [seconds, count] of [
      [1, 0],
      [6, 1],
      [22, 0],
      [31, 1],
      [32, 0],
      [125, 1],
      [601, 1],
      [1700, 0],
      [1801, 1],
      [3000, 0],
      [3601, 0],
    ] as const) {
      await moveClaim(id, seconds)
      expect(await reconcile(withRecords()), `after ${seconds} s`).to.equal(count)
    }
    expect(asked).to.have.length(5)
  })

  it('one that became unknown late is asked about once, not for each step that has passed', async () => {
    await unknown(700)
    expect(await reconcile(withRecords())).to.equal(1)
    expect(await reconcile(withRecords())).to.equal(0)
  })

  it('a record that may be of a message that is being sent meanwhile, to the same number, is of nobody yet', async () => {
    const id = await unknown(10)
    const found = record()
    let next = ''
    findSent = async () => {
      next = await queueMessage(context, line, {
        status: 'sending',
        carrier: 'simulator',
        claimed_at: secondsAgo(0),
        lease_until: ahead(context, '15 seconds'),
      })
      return [found]
    }
    await reconcile(withRecords())
    expect(await messageRow(context, id)).to.include({ status: 'unknown', carrier_message_id: null })
    await changeRows(context, 'messages', next, { status: 'failed' })
    await moveClaim(id, 40)
    findSent = () => Promise.resolve([found])
    await reconcile(withRecords())
    expect(await messageRow(context, id)).to.include({ status: 'sent' })
  })

  it('is over for a message that the carrier has no record of: it stays unknown, with that', async () => {
    const id = await unknown(601)
    await reconcile(withRecords())
    expect(await messageRow(context, id)).to.include({ status: 'unknown', error: 'carrier_outcome_unknown' })
    await moveClaim(id, 1801)
    await reconcile(withRecords())
    expect(await messageRow(context, id)).to.include({ status: 'unknown', error: 'carrier_has_no_record' })
  })

  it('does not say so of a carrier that could not be asked', async () => {
    const id = await unknown(1801)
    findSent = () => Promise.reject(new CarrierRefused('away'))
    await reconcile(withRecords())
    expect(await messageRow(context, id)).to.include({ status: 'unknown', error: 'carrier_outcome_unknown' })
  })

  it('a record of another message counts for nothing', async () => {
    const known = record()
    await nameAtCarrier(context, newId(), known.carrierMessageId)
    findSent = () => Promise.resolve([known])
    const id = await unknown(10)
    await reconcile(withRecords())
    expect(await messageRow(context, id)).to.include({ status: 'unknown', carrier_message_id: null })
  })

  it('a record with the id of an inbound message counts', async () => {
    const known = record()
    await receiveMessage(context, inboundText(line, { carrierMessageId: known.carrierMessageId }))
    findSent = () => Promise.resolve([known])
    const id = await unknown(10)
    await reconcile(withRecords())
    expect(await messageRow(context, id)).to.include({
      status: 'sent',
      carrier_message_id: known.carrierMessageId,
    })
  })

  it('equal messages get a record each, and one more has none', async () => {
    const records = [record(), record()]
    findSent = () => Promise.resolve(records)
    const ids = [await unknown(12), await unknown(11), await unknown(10)]
    expect(await reconcile(withRecords())).to.equal(3)
    const rows = await Promise.all(ids.map((id) => messageRow(context, id)))
    const taken = rows.flatMap(({ carrier_message_id: id }) => id ?? [])
    expect(taken.sort()).to.deep.equal(records.map(({ carrierMessageId }) => carrierMessageId).sort())
    expect(rows.filter(({ status }) => status === 'unknown')).to.have.length(1)
  })

  it('a record whose id is longer than an index holds is of one message only', async () => {
    const long = record({ carrierMessageId: randomBytes(3000).toString('base64') })
    findSent = () => Promise.resolve([long])
    const ids = [await unknown(12), await unknown(11)]
    expect(await reconcile(withRecords())).to.equal(2)
    const rows = await Promise.all(ids.map((id) => messageRow(context, id)))
    expect(rows.map(({ status }) => status)).to.have.members(['sent', 'unknown'])
  })

  it('waits while the line sends to the same number: the newest record may be of that message', async () => {
    await unknown(10)
    const sending = await queueMessage(context, line, { status: 'sending' })
    expect(await reconcile(withRecords())).to.equal(0)
    await context.db('messages').where({ id: sending }).update({ status: 'sent' })
    expect(await reconcile(withRecords())).to.equal(1)
  })

  it('is for unknown messages only, of carriers that can be asked', async () => {
    for (const status of ['queued', 'sent', 'delivered', 'failed']) await unknown(10, { status })
    expect(await reconcile(withRecords())).to.equal(0)
    const id = await unknown(10)
    expect(await reconcile(context), 'the simulator cannot').to.equal(0)
    expect(await messageRow(context, id)).to.include({ status: 'unknown', error: 'carrier_outcome_unknown' })
  })

  it('of many processes one asks about a message', async () => {
    for (let n = 0; n < 20; n += 1) await unknown(10 + n)
    const counts = await Promise.all(Array.from({ length: 4 }, () => reconcile(withRecords())))
    expect(counts.reduce((sum, count) => sum + count, 0)).to.equal(20)
    expect(asked).to.have.length(20)
  })
})
