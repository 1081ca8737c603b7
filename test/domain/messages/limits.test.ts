import { expect } from 'chai'
import { findOpenIncomingWebhooks } from '../../../src/database/lines/incoming-webhooks.js'
import { readLimits } from '../../../src/domain/messages/limits.js'
import { receiveMessage } from '../../../src/domain/messages/receive.js'
import { newId } from '../../../src/ids.js'
import { queueMessages, type QueueRequest } from '../../../src/database/messages/queueing.js'
import { listSpendCaps } from '../../../src/database/messages/spend-caps.js'
import { rescheduleMessage } from '../../../src/domain/messages/scheduling.js'
import { sendMessageAgain } from '../../../src/domain/messages/send-again.js'
import {
  countForCaps,
  nextDay,
  readCap,
  setSpendCap,
} from '../../../src/domain/messages/spending/spend-caps.js'
import { listAudit } from '../../../src/domain/operating/audit.js'
import {
  guardCountries,
  listPausedCountries,
  resumeCountry,
} from '../../../src/domain/messages/country-guard.js'
import { addLine, getOwnLine } from '../../../src/domain/lines/lines.js'
import { describeContext, joinService } from '../../helpers/context.js'
import { lowestIdAt } from '../../helpers/lowest-id.js'
import { until } from '../../helpers/until.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { failure } from '../../helpers/failure.js'
import { submit, ago, ANNA, BEN, inboundText, queueMessage, countRows, UNLIMITED, post } from '../fixtures.js'
import { expectRefusal } from '../refusal.js'
import { newNumber } from '../../web/support.js'

const JAMAICA = '+18765550100'
const BRITAIN = '+447400123456'
const AMERICA = '+14155550142'

describeContext('the limits of a line', (context) => {
  let line: TestLine

  beforeEach(async () => {
    line = await createLine(context, { messagesPerNumberPerMinute: 2, messagesPerMinute: 8 })
  })

  const read = () => readLimits(context, line.userId, line.lineId)

  const submitTo = (toNumber: string) => submit(context, line.lineId, { toNumber })

  it('are all open when nothing was sent', async () => {
    expect(await read()).to.deep.equal({
      line: { limit: 8, used: 0, opensMs: 0 },
      ...{ numbers: [], caps: [], monthlyCaps: [] },
    })
  })

  it('say what is used, fullest number first, and when each gives back a message', async () => {
    await submitTo(BEN)
    await submitTo(ANNA)
    await submitTo(ANNA)
    const limits = await read()
    expect(limits.line).to.include({ limit: 8, used: 3 })
    expect(limits.numbers.map(({ number, limit, used }) => [number, limit, used])).to.deep.equal([
      [ANNA, 2, 2],
      [BEN, 2, 1],
    ])
    for (const { opensMs } of [limits.line, ...limits.numbers]) expect(opensMs).to.be.within(1, 60_000)
  })

  it('are the ones that the incoming webhook goes by', async () => {
    await submitTo(ANNA)
    const answer = await submitTo(ANNA)
    const refused = await submitTo(ANNA)
    const limits = await read()
    expect([answer.outcome, refused.outcome]).to.deep.equal(['accepted', 'rate_limited'])
    expect(limits.numbers[0]).to.include({ used: 2 })
    expect(limits.line).to.include({ used: 2 })
  })

  it('count a message that was accepted for now and moved since, and none that was accepted for later', async () => {
    const inAnHour = new Date(Date.now() + 3_600_000)
    const moved = [await submitTo(ANNA), await submitTo(ANNA)]
    await submit(context, line.lineId, { toNumber: ANNA, sendAt: inAnHour })
    for (const { messageId } of moved)
      for (let n = 0; n < 2; n += 1) await rescheduleMessage(context, line.userId, messageId!, inAnHour)
    const { line: ofLine, numbers } = await read()
    expect([ofLine.used, numbers.map(({ used }) => used)]).to.deep.equal([2, [2]])
    expect(await findOpenIncomingWebhooks(context.db, [line.lineId])).to.have.nested.property(
      '[0].lineUsed',
      2,
    )
    expect(await submitTo(ANNA)).to.include({ outcome: 'rate_limited' })
    expect(await submitTo(BEN)).to.deep.include({ outcome: 'accepted' })
    expect((await read()).line.used).to.equal(3)
  })

  it('show five numbers at most', async () => {
    for (let n = 0; n < 7; n += 1) await submitTo(`+1500555020${n}`)
    expect((await read()).numbers).to.have.length(5)
  })

  it('forget a number that has answered: its window starts anew, the line’s does not', async () => {
    await submitTo(ANNA)
    await receiveMessage(context, inboundText(line))
    const limits = await read()
    expect([limits.line.used, limits.numbers]).to.deep.equal([1, []])
  })

  it('count neither what is older than a minute nor what did not come by the webhook', async () => {
    await queueMessage(context, line, { source: 'console' })
    await queueMessage(context, line, { created_at: ago(context, '61 seconds') })
    expect((await read()).line).to.include({ used: 0 })
  })

  it('are shown to nobody else', async () => {
    const { userId } = await createLine(context)
    for (const [user, id] of [
      [userId, line.lineId],
      [line.userId, newId()],
      [line.userId, 'x'],
    ] as const) {
      await expectRefusal(readLimits(context, user, id), 404, 'No such line')
    }
  })

  describe('a daily cap of segments', () => {
    const other = joinService(context)
    let second: TestLine

    beforeEach(async () => {
      await context.db('spend_caps').delete()
      line = await createLine(context, UNLIMITED)
      second = await createLine(context, { ...UNLIMITED, userId: line.userId })
    })

    const capLine = (count: number | null) =>
      setSpendCap(context, { of: 'line', id: line.lineId, userId: line.userId }, count)
    const capUser = (count: number | null) => setSpendCap(context, { of: 'user', id: line.userId }, count)
    const usedOf = async (id: string) => (await listSpendCaps(context.db, [id]))[0]?.used

    const request = (overrides: Partial<QueueRequest> = {}): QueueRequest => ({
      ...{
        messageId: newId(),
        lineId: line.lineId,
        source: 'webhook',
        toNumber: ANNA,
        text: 'x',
        segmentCount: 1,
      },
      ...overrides,
    })
    const queue = async (requests: QueueRequest[], by = context) =>
      (await queueMessages(by.db, requests, 1000)).map((answer) =>
        answer instanceof Error ? answer.message : answer.outcome,
      )

    /** Eight at a time, by two processes. */
    async function acceptedOf(requests: QueueRequest[]): Promise<number> {
      const outcomes: string[] = []
      const work = async (by: typeof context) => {
        for (let next = requests.pop(); next !== undefined; next = requests.pop()) {
          outcomes.push(...(await queue([next], by)))
        }
      }
      await Promise.all([...Array<unknown>(8)].map((_, n) => work(n % 2 === 0 ? context : other)))
      return outcomes.filter((outcome) => outcome === 'accepted').length
    }

    it('of a line is exact, however many come at the same time', async () => {
      await capLine(10)
      expect(await acceptedOf(Array.from({ length: 40 }, () => request()))).to.equal(10)
      expect(await usedOf(line.lineId)).to.equal(10)
      expect(await queue([request({ lineId: second.lineId })]), 'another line').to.deep.equal(['accepted'])
    })

    it('of a user is exact over all their lines', async () => {
      await capUser(10)
      const lineIds = [line.lineId, second.lineId]
      const requests = Array.from({ length: 40 }, (_, n) => request({ lineId: lineIds[(n >> 1) % 2]! }))
      expect(await acceptedOf(requests)).to.equal(10)
      expect(await usedOf(line.userId)).to.equal(10)
      expect(await queue([request({ lineId: (await createLine(context)).lineId })])).to.deep.equal([
        'accepted',
      ])
    })

    it('counts segments: what does not fit any more is refused, and a shorter one still fits', async () => {
      await capLine(7)
      const sizes = [3, 3, 3, 1, 1]
      const outcomes = await queue(sizes.map((segmentCount) => request({ segmentCount })))
      expect(outcomes).to.deep.equal(['accepted', 'accepted', 'over_cap', 'accepted', 'over_cap'])
      expect(await usedOf(line.lineId)).to.equal(7)
    })

    it('holds for the messages of one batch together, on several lines of the user', async () => {
      await capUser(4)
      const lineIds = [line.lineId, second.lineId, line.lineId, second.lineId, line.lineId, second.lineId]
      const outcomes = await queue(lineIds.map((lineId) => request({ lineId })))
      expect(outcomes).to.deep.equal([...Array<string>(4).fill('accepted'), 'over_cap', 'over_cap'])
      expect(await usedOf(line.userId)).to.equal(4)
    })

    it('counts nothing twice: a repeat is answered as before, and a refusal leaves no key', async () => {
      await capLine(1)
      const idempotency = { scopeId: line.lineId, key: 'a', requestHash: '00' }
      expect(await queue([request({ idempotency })])).to.deep.equal(['accepted'])
      expect(await queue([request({ idempotency })])).to.deep.equal(['replayed'])
      const another = { ...idempotency, key: 'b' }
      expect(await queue([request({ idempotency: another })])).to.deep.equal(['over_cap'])
      await capLine(2)
      expect(await queue([request({ idempotency: another })])).to.deep.equal(['accepted'])
      expect(await usedOf(line.lineId)).to.equal(2)
    })

    it('begins anew each day of UTC', async () => {
      await capLine(1)
      expect(await queue([request(), request()])).to.deep.equal(['accepted', 'over_cap'])
      await context.db('spend_caps').update({ day: context.db.raw('day - 1') })
      expect(await usedOf(line.lineId)).to.equal(0)
      expect(await queue([request(), request()])).to.deep.equal(['accepted', 'over_cap'])
      expect(await usedOf(line.lineId), 'of this day only').to.equal(1)
      expect(nextDay(Date.parse('2026-03-01T23:59:59.999Z')).toISOString()).to.equal(
        '2026-03-02T00:00:00.000Z',
      )
      expect(nextDay(Date.parse('2026-03-02T00:00:00Z')).toISOString()).to.equal('2026-03-03T00:00:00.000Z')
    })

    it('neither counts nor refuses what the service says by itself', async () => {
      await capLine(1)
      const answer = () => queue([request({ source: 'service', segmentCount: undefined })])
      expect(await queue([request()])).to.deep.equal(['accepted'])
      expect(await answer()).to.deep.equal(['accepted'])
      expect(await usedOf(line.lineId)).to.equal(1)
    })

    it('that is not there counts nothing; taken away it refuses nothing', async () => {
      await queue([request()])
      expect(await countRows(context, 'spend_caps')).to.equal(0)
      await capLine(1)
      expect(await queue([request(), request()])).to.deep.equal(['accepted', 'over_cap'])
      await capLine(null)
      expect(await queue([request()])).to.deep.equal(['accepted'])
      expect(await countRows(context, 'spend_caps')).to.equal(0)
    })

    it('refuses programs and people with 429 and until when, also for a message that is sent again', async () => {
      await capUser(2)
      const postTwoSegments = () => post(context, line, { text: 'x'.repeat(161) })
      await postTwoSegments()
      const failed = await queueMessage(context, line, { status: 'failed' })
      for (const refused of [
        postTwoSegments,
        () => sendMessageAgain(context, line.userId, failed, newId(), 'api'),
      ]) {
        const refusal = await failure(refused())
        expect(refusal).to.include({ status: 429 })
        expect(refusal.message).to.match(/^The daily segment cap of this line/)
        expect((refusal as { retryAfterSeconds?: number }).retryAfterSeconds).to.be.within(1, 86_400)
      }
    })

    it('is told to its owner with the limits, and as near from 80% on', async () => {
      await capLine(5)
      await capUser(100)
      const caps = async () => (await readLimits(context, line.userId, line.lineId)).caps
      await queue([request({ segmentCount: 3 })])
      expect(
        (await caps()).map(({ of, segmentsPerDay, used, isNear }) => ({ of, segmentsPerDay, used, isNear })),
      ).to.deep.equal([
        { of: 'line', segmentsPerDay: 5, used: 3, isNear: false },
        { of: 'user', segmentsPerDay: 100, used: 3, isNear: false },
      ])
      await queue([request()])
      expect((await caps()).map(({ isNear }) => isNear)).to.deep.equal([true, false])
    })

    it('is a whole number above none', async () => {
      expect(['', 'none', ' 7 '].map(readCap)).to.deep.equal([null, null, 7])
      for (const wrong of ['0', '-1', '1.5', 'ten', '1000000000']) {
        expect(() => readCap(wrong), wrong).to.throw('segments must be a whole number from 1 to')
      }
      const texts = [null, 'x', 'x'.repeat(161)]
      const counts = texts.map((text) => countForCaps(context, { carrierAccount: 'simulator' }, text))
      expect(await Promise.all(counts)).to.deep.equal([1, 1, 2])
    })
  })

  describe('the guard against a sudden rise to one country', () => {
    const other = joinService(context)

    // It counts by the hour, and what is some seconds old.
    beforeEach(async function () {
      this.timeout(120_000)
      await until(
        'the hour is neither new nor over soon',
        () => {
          const second = Math.floor(Date.now() / 1000) % 3600
          return second >= 10 && second < 3570
        },
        60_000,
      )
      await context.db('country_hours').delete()
      await context.db('country_pauses').delete()
      await context.db('country_guard').update({
        counted_until: ago(context, '1 minute'),
        began_at: ago(context, '8 days'),
      })
      await context.db('messages').delete()
      line = await createLine(context)
    })

    /** Accepted half a minute ago, which the next look counts. */
    const accept = async (count: number, number: string, of: TestLine = line, source = 'webhook') => {
      for (let n = 0; n < count; n += 1) {
        await queueMessage(context, of, {
          ...{ to_number: number, source },
          created_at: context.db.raw(`greatest(date_trunc('hour', now()), now() - interval '30 seconds')`),
          status: 'sent',
        })
      }
    }
    const pausedOf = async (of = line) => (await getOwnLine(context, of.userId, of.lineId)).pausedCountries
    const usual = (country: string, accepted: number, daysAgo = 3) =>
      context.db('country_hours').insert({
        ...{ user_id: line.userId, country, accepted },
        hour: context.db.raw(`date_trunc('hour', now()) - make_interval(days => ?)`, [daysAgo]),
      })
    /** What is accepted in the last seconds may not be committed everywhere yet, so it is left for the next look. */
    const look = async (by = context) => {
      await context.db('country_guard').update({
        counted_until: ago(context, '1 minute'),
      })
      await context.db('country_hours').where('hour', '>', ago(context, '1 hour')).delete()
      return guardCountries({ ...by, config: { ...by.config, countryGuardPerHour: 10 } })
    }

    it('pauses a country to which a user suddenly sends, and says so in the audit log', async () => {
      await accept(9, JAMAICA)
      expect(await look()).to.equal(0)
      await accept(1, JAMAICA)
      expect(await look()).to.equal(1)
      expect(await pausedOf()).to.deep.equal(['JM'])
      const [row] = await listAudit(context, { userId: line.userId }, { limit: 1 })
      expect(row).to.deep.include({
        ...{ action: 'user.country.paused', actorKind: 'service', subjectId: line.userId },
        after: { country: 'JM', accepted: 10, usual: 0, lineCount: 1 },
      })
      expect(await look(), 'a second time').to.equal(0)
    })

    it('leaves alone what is not ten times as much as was usual', async () => {
      await usual('GB', 2)
      await accept(19, BRITAIN)
      expect(await look()).to.equal(0)
      await accept(1, BRITAIN)
      expect(await look()).to.equal(1)
    })

    it('compares with the last 30 days only, and does not count what the service says by itself', async () => {
      await usual('JM', 100, 31)
      await accept(9, JAMAICA)
      await accept(1, JAMAICA, line, 'service')
      expect(await look()).to.equal(0)
      await accept(1, JAMAICA)
      expect(await look()).to.equal(1)
    })

    it('only counts in its first week, in which everything would be a rise', async () => {
      await context.db('country_guard').update({ began_at: ago(context, '6 days') })
      await accept(10, JAMAICA)
      expect(await look()).to.equal(0)
      expect(await context.db('country_hours').where({ country: 'JM' }).pluck('accepted')).to.deep.equal([10])
    })

    it('leaves alone lines of that country, and those that may send there by name', async () => {
      const named = await createLine(context, { userId: line.userId, allowedCountries: ['JM'] })
      await accept(10, JAMAICA, named)
      await accept(10, AMERICA)
      expect(await look()).to.equal(1)
      expect([await pausedOf(), await pausedOf(named)]).to.deep.equal([['JM'], null])
      const fresh = await addLine(context, {
        ...{ userId: line.userId, number: newNumber(), carrierAccount: 'simulator' },
      })
      expect(fresh.pausedCountries).to.deep.equal(['JM'])
    })

    it('counts each message once, however many processes look', async () => {
      await accept(10, JAMAICA)
      await context.db('country_guard').update({ counted_until: ago(context, '1 minute') })
      const guard = (by: typeof context) =>
        guardCountries({ ...by, config: { ...by.config, countryGuardPerHour: 1000 } })
      await Promise.all([guard(context), guard(other), guard(context)])
      await guard(other)
      expect(await context.db('country_hours').where({ country: 'JM' }).pluck('accepted')).to.deep.equal([10])
    })

    it('counts an hour without `maintenance` in steps, none of which takes too long', async () => {
      const at = new Date(Date.now() - 58 * 60_000)
      await queueMessage(context, line, {
        ...{ id: lowestIdAt(at), created_at: at, to_number: JAMAICA, status: 'sent' },
      })
      await accept(1, JAMAICA)
      await context.db('country_guard').update({ counted_until: ago(context, '1 day') })
      const countAfter = async (looks: number) => {
        for (let n = 0; n < looks; n += 1)
          await guardCountries({ ...context, config: { ...context.config, countryGuardPerHour: 1000 } })
        const counts = await context.db('country_hours').where({ country: 'JM' }).pluck<number[]>('accepted')
        return counts.reduce((sum, count) => sum + count, 0)
      }
      expect(await countAfter(1), 'the first five minutes').to.equal(1)
      expect(await countAfter(5), 'half an hour').to.equal(1)
      expect(await countAfter(6), 'the hour').to.equal(2)
    })

    it('is over when an operator says so, and leaves the country alone for a week', async () => {
      await accept(10, JAMAICA)
      await look()
      const user = { id: line.userId }
      expect(await listPausedCountries(context, line.userId)).to.have.length(1)
      await resumeCountry(context, user, ' jm ')
      expect([await pausedOf(), await listPausedCountries(context, line.userId)]).to.deep.equal([null, []])
      expect(await look()).to.equal(0)
      await expectRefusal(resumeCountry(context, user, 'JM'), 404)
      await context.db('country_pauses').update({ resumed_at: ago(context, '8 days') })
      expect(await look()).to.equal(1)
    })

    it('does nothing where it is switched off', async () => {
      await accept(10, JAMAICA)
      expect(
        await guardCountries({ ...context, config: { ...context.config, countryGuardPerHour: 0 } }),
      ).to.equal(0)
      expect(await context.db('country_hours').pluck('country')).to.deep.equal([])
    })
  })
})
