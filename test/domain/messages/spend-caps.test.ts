import { expect } from 'chai'
import { queueMessages, type QueueRequest } from '../../../src/database/messages/queueing.js'
import { listSpendCaps } from '../../../src/database/messages/spend-caps.js'
import { readLimits } from '../../../src/domain/messages/limits.js'
import { postMessage } from '../../../src/domain/messages/post.js'
import { sendMessageAgain } from '../../../src/domain/messages/send-again.js'
import { countForCaps, nextDay, readCap, setSpendCap } from '../../../src/domain/messages/spend-caps.js'
import { newId } from '../../../src/ids.js'
import { describeContext, joinService } from '../../helpers/context.js'
import { createLine, type TestLine } from '../../helpers/factories.js'
import { failure } from '../../helpers/failure.js'
import { ANNA, countRows, queueMessage, UNLIMITED } from '../fixtures.js'

describeContext('a daily cap of segments', (context) => {
  const other = joinService(context)
  let line: TestLine
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
    expect(await queue([request({ lineId: (await createLine(context)).lineId })])).to.deep.equal(['accepted'])
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
    expect(nextDay(Date.parse('2026-03-01T23:59:59.999Z')).toISOString()).to.equal('2026-03-02T00:00:00.000Z')
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
    const post = () =>
      postMessage(context, {
        ...{ userId: line.userId, applicationId: undefined, lineId: line.lineId, toNumber: ANNA },
        ...{ text: 'x'.repeat(161), mediaUrl: undefined, idempotencyKey: undefined },
      })
    await post()
    const failed = await queueMessage(context, line, { status: 'failed' })
    for (const refused of [post(), sendMessageAgain(context, line.userId, failed, newId(), 'api')]) {
      const refusal = await failure(refused)
      expect(refusal).to.include({ status: 429 })
      expect(refusal.message).to.match(/^the daily cap of segments is reached/)
      expect((refusal as { retryAfterSeconds?: number }).retryAfterSeconds).to.be.within(1, 86_400)
    }
  })

  it('is told to its owner with the limits, and as near from 80 % on', async () => {
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

  it('is a whole number above none', () => {
    expect(['', 'none', ' 7 '].map(readCap)).to.deep.equal([null, null, 7])
    for (const wrong of ['0', '-1', '1.5', 'ten', '1000000000']) {
      expect(() => readCap(wrong), wrong).to.throw('segments must be a whole number from 1 to')
    }
    expect([countForCaps(null), countForCaps('x'), countForCaps('x'.repeat(161))]).to.deep.equal([1, 1, 2])
  })
})
