import { expect } from 'chai'
import { countMinutes, findUncountedMinute } from '../../../../src/database/operating/overview/counting.js'
import {
  recountMinutes,
  countNewestMinutes,
  createBackfill,
} from '../../../../src/domain/operating/overview/count-minutes.js'
import { readTraffic } from '../../../../src/domain/operating/overview/traffic.js'
import { newId } from '../../../../src/ids.js'
import { describeContext } from '../../../helpers/context.js'
import { lineForEachTest } from '../../../helpers/factories.js'
import { lowestIdAt } from '../../../helpers/lowest-id.js'
import { changeRows, ago, moveToAnotherCarrier, untilLocked } from '../../fixtures.js'

const MINUTE_MS = 60_000

describeContext('counting what came and went', (context) => {
  /** A minute of the last hour, long over. */
  let minute: Date

  const line = lineForEachTest(context)
  beforeEach(async () => {
    await context.db.raw('truncate messages, events, deliveries, delivery_attempts, traffic_counts')
    minute = new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS - 20 * MINUTE_MS)
  })

  const at = (ms: number) => new Date(minute.getTime() + ms)
  let made = 0
  /** An id of this moment, as the row would have had. */
  const idAt = (moment: Date) => {
    made += 1
    return lowestIdAt(moment).slice(0, -12) + made.toString(16).padStart(12, '0')
  }

  async function sent(createdAt: Date, handedOverAt: Date | null, columns: object = {}): Promise<string> {
    const id = idAt(createdAt)
    await context.db('messages').insert({
      ...{ id, user_id: line.userId, line_id: line.lineId, direction: 'outbound', source: 'webhook' },
      ...{ from_number: line.number, to_number: '+15005550199', text: 'Hello', status: 'sent' },
      ...{ created_at: createdAt, handed_over_at: handedOverAt, sent_at: handedOverAt, ...columns },
    })
    return id
  }

  const received = (createdAt: Date) =>
    sent(createdAt, null, { direction: 'inbound', source: 'carrier', status: 'received' })

  async function tried(createdAt: Date, startedAt: Date, durationMs: number, failure: string | null) {
    const id = idAt(createdAt)
    await context.db('deliveries').insert({
      ...{ id, user_id: line.userId, line_id: line.lineId, event_id: newId(), endpoint_id: newId() },
      ...{ status: 'delivered', type: 'inboundText', from_number: '+15005550101', created_at: createdAt },
    })
    await context.db('delivery_attempts').insert({
      ...{ id: idAt(startedAt), delivery_id: id, attempt_number: 1, started_at: startedAt },
      ...{ duration_ms: durationMs, failure },
    })
  }

  /** Without its zeros. */
  async function countsOf(seconds: 60 | 900, of: Date, carrier = 'simulator') {
    const row = await context
      .db('traffic_counts')
      .where({ seconds, begins_at: of, carrier })
      .first<Record<string, unknown> | undefined>(
        ...['accepted', 'sent', 'delivered', 'failed', 'unknown', 'received', 'events_delivered'],
        ...['attempts_failed', 'to_carrier', 'to_endpoint', 'last_error', 'last_error_code'],
        'last_error_reason',
      )
    return (
      row &&
      Object.fromEntries(
        Object.entries(row).filter(
          ([, value]) => value !== 0 && value !== null && JSON.stringify(value) !== '{}',
        ),
      )
    )
  }
  const count = (from = minute, minutes = 1) =>
    countMinutes(context.db, from, new Date(from.getTime() + minutes * MINUTE_MS))

  it('counts messages where they came in and where they were handed over, and events where they arrived', async () => {
    await sent(at(0), at(100))
    await sent(at(59_999), at(60_100), { status: 'delivered' })
    await sent(at(-5), at(0), { status: 'unknown', error: 'worker_lost' })
    await sent(at(10), at(20), {
      ...{ status: 'failed', error: 'Landline', carrier_code: '30006', carrier_reason: 'landline' },
    })
    await sent(at(10), null, { status: 'failed', error: 'expired' })
    await sent(at(30), null, { status: 'queued' })
    await received(at(1))
    await received(at(60_000))
    await tried(at(-3_600_000), at(500), 500, null)
    await tried(at(0), at(59_000), 1500, null)
    await tried(at(0), at(0), 10, 'http_500')
    await count()
    expect(await countsOf(60, minute)).to.deep.equal({
      ...{
        accepted: 5,
        sent: 1,
        failed: 2,
        unknown: 1,
        received: 1,
        events_delivered: 1,
        attempts_failed: 1,
      },
      to_carrier: { 8: 1, 11: 1, 21: 1 },
      to_endpoint: { 68: 1 },
      ...{ last_error: 'Landline', last_error_code: '30006', last_error_reason: 'landline' },
    })
    await count(at(MINUTE_MS))
    expect(await countsOf(60, at(MINUTE_MS))).to.deep.equal({
      ...{ sent: 1, delivered: 1, received: 1, events_delivered: 1 },
      ...{ to_carrier: { 21: 1 }, to_endpoint: { 50: 1 } },
    })
  })

  it('counts a message however long ago it was accepted, if it was rescheduled again and again', async () => {
    const daysAgo = (days: number) => at(-days * 24 * 60 * MINUTE_MS)
    await sent(daysAgo(400), at(100), { send_at: at(0) })
    await sent(daysAgo(37), at(200), { send_at: at(0) })
    await sent(daysAgo(400), daysAgo(1), { send_at: daysAgo(1) })
    await count()
    expect(await countsOf(60, minute)).to.deep.equal({ sent: 2, to_carrier: { 21: 1, 24: 1 } })
  })

  it('finds again the same, whoever counts at the same time, and what has changed since', async () => {
    const id = await sent(at(0), at(100))
    await Promise.all([count(), count(), count(at(-MINUTE_MS), 3)])
    expect(await countsOf(60, minute)).to.deep.equal({ accepted: 1, sent: 1, to_carrier: { 21: 1 } })
    await changeRows(context, 'messages', id, { status: 'delivered' })
    await context.db('traffic_counts').update({ counted_at: ago(context, '4 minutes') })
    await recountMinutes(context)
    expect(await countsOf(60, minute)).to.include({ sent: 1, delivered: 1 })
    expect(await countsOf(900, new Date(Math.floor(minute.getTime() / 900_000) * 900_000))).to.include({
      ...{ accepted: 1, delivered: 1 },
    })
  })

  it('sums what another process has counted meanwhile', async () => {
    const quarter = new Date(Math.floor(minute.getTime() / 900_000) * 900_000)
    const next = new Date(quarter.getTime() + MINUTE_MS)
    await sent(quarter, null)
    await sent(next, null)
    let late: Promise<void> | undefined
    await context.db.transaction(async (trx) => {
      await countMinutes(trx, quarter, next)
      late = count(next)
      // It waits for the one that is not over, or for its row, which it would replace.
      await untilLocked(context)
    })
    await late
    expect(await countsOf(900, quarter)).to.deep.equal({ accepted: 2 })
  })

  it('counts each account’s lines for themselves', async () => {
    await sent(at(0), at(1))
    await moveToAnotherCarrier(context, line)
    await count()
    expect(await countsOf(60, minute)).to.deep.equal({})
    expect(await countsOf(60, minute, 'another')).to.include({ accepted: 1, sent: 1 })
    await context.db('lines').update({ carrier: 'simulator' })
    await context.db('carrier_accounts').where({ name: 'another' }).delete()
  })

  it('counts what came in once, if the account of its line was removed since the line left it', async () => {
    await moveToAnotherCarrier(context, line)
    await sent(at(0), at(1), { carrier: 'another' })
    await received(at(2))
    await count()
    await context.db('lines').update({ carrier: 'simulator' })
    await context.db('carrier_accounts').where({ name: 'another' }).delete()
    await count()
    expect(await countsOf(60, minute)).to.deep.equal({ accepted: 1, received: 1 })
    const { to_carrier: _, ...ofRemoved } = (await countsOf(60, minute, 'another'))!
    expect(ofRemoved).to.deep.equal({ sent: 1 })
  })

  it('counts the running minute, which shows at once', async () => {
    await sent(new Date(), new Date())
    await countNewestMinutes(context)
    const { totals, countedAt, waits, bins } = await readTraffic(context.db, '1h')
    expect(totals).to.include({ accepted: 1, sent: 1 })
    expect(countedAt).to.be.instanceOf(Date)
    expect(waits.carrier?.p50Ms).to.be.within(0.5, 100)
    expect([bins.length, bins.at(-1)?.minutes]).to.deep.equal([60, 0])
  })

  it('catches up with what nobody has counted, back to the first row', async () => {
    const first = at(-300 * MINUTE_MS)
    await sent(first, first)
    await sent(minute, minute)
    const catchUp = createBackfill(context)
    while ((await findUncountedMinute(context.db)) !== undefined) await catchUp()
    const day = await readTraffic(context.db, '24h')
    expect(day.totals).to.include({ accepted: 2, sent: 2 })
    expect((await readTraffic(context.db, '7d')).totals).to.include({ accepted: 2, sent: 2 })
    const busy = day.bins.filter(({ counts }) => counts.accepted > 0)
    expect(busy.map(({ at: of }) => of.getTime())).to.deep.equal(
      [first, minute].map((moment) => Math.floor(moment.getTime() / 900_000) * 900_000),
    )
    expect(await countsOf(60, at(-400 * MINUTE_MS))).to.equal(undefined)
  })
})
