import { expect } from 'chai'
import fc from 'fast-check'
import type { Redis } from 'ioredis'
import { setTimeout as sleep } from 'node:timers/promises'
import { createSlidingWindows, type SlidingWindows } from '../../src/kit/redis/sliding-window.js'
import { connectTestRedis } from '../helpers/services/redis.js'
import {
  carryOut,
  LINE_LIMIT,
  MAX_ASKS,
  MINUTE,
  NUMBER_LIMIT,
  PACE_LIMIT,
  placesFrom,
  plan,
  type Answer,
} from '../helpers/window-plans.js'

describe('sliding windows under any plan', function () {
  this.timeout(120_000)

  let redis: Redis
  let windows: SlidingWindows
  let count = 0
  const newName = () => `plan ${(count += 1)}`

  before(async () => {
    // Thousands of commands on a busy machine: none of them is about how long Redis takes.
    redis = await connectTestRedis(undefined, 'wait')
    // A plan has a clock of its own. By that of Redis, a window could expire between two steps that are at one moment.
    const define = redis.defineCommand.bind(redis)
    redis.defineCommand = (name, { lua }) => {
      define(name, { lua: lua.replace(/redis\.call\('PEXPIRE', .*\)/, '') })
    }
    windows = createSlidingWindows(redis)
  })

  after(() => {
    redis.disconnect()
  })

  it('never give more than the limit in any span of their length, taken two together, in 150 plans', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (steps) => {
        const given = (await carryOut(windows, newName(), steps)).filter(({ waitMs }) => waitMs === 0)
        expectNeverAbove(LINE_LIMIT, given)
        const windowOf = ({ number, epoch }: Answer) => `${number}/${epoch}`
        for (const each of new Set(given.map(windowOf))) {
          const inWindow = given.filter((place) => windowOf(place) === each)
          expectNeverAbove(NUMBER_LIMIT, inWindow)
        }
        // Who asks again has not used the places that it had.
        const last = new Map(given.map((each) => [each.member, each]))
        expectNeverAbove(PACE_LIMIT, [...last.values()].flatMap(placesOf))
      }),
      { numRuns: 150 },
    )
  })

  it('give a place whenever there is room and nobody waits for it, in 80 plans', async () => {
    await fc.assert(
      fc.asyncProperty(plan, async (steps) => {
        const refused = (await carryOut(windows, newName(), steps)).filter(
          ({ waitMs, mustGet }) => waitMs > 0 && mustGet,
        )
        expect(refused, 'refused though there was room').to.deep.equal([])
      }),
      { numRuns: 80 },
    )
  })

  it('tell whole milliseconds above zero, and give a place in the end to all who come back, in 60 plans', async () => {
    const punctual = plan.map((steps) =>
      steps.map((step) => (step.kind === 'burst' ? { ...step, lateMs: 0 } : step)),
    )
    await fc.assert(
      fc.asyncProperty(punctual, async (steps) => {
        const answers = await carryOut(windows, newName(), steps)
        for (const { waitMs } of answers)
          expect(waitMs === 0 || (Number.isInteger(waitMs) && waitMs > 0)).to.be.true
        if (answers.length === MAX_ASKS) return
        const asked = new Set(answers.filter((each) => each.lateMs === 0).map(({ member }) => member))
        const given = new Set(answers.filter(({ waitMs }) => waitMs === 0).map(({ member }) => member))
        expect([...asked].filter((member) => !given.has(member))).to.deep.equal([])
      }),
      { numRuns: 60 },
    )
  })

  it('keep what they told: all who come back then are given a place, in the order of asking', async () => {
    const arrivals = fc.array(fc.integer({ min: 0, max: 3 * MINUTE }), {
      minLength: 1,
      maxLength: 60,
      size: 'max',
    })
    await fc.assert(
      fc.asyncProperty(arrivals, fc.integer({ min: 1, max: 6 }), async (moments, limit) => {
        const window = { key: `{${newName()}}`, limit, lengthMs: MINUTE }
        const given = await followExactly(moments, (member, at) => windows.take(member, [window], at))
        expectNeverAbove(limit, given)
        for (const { askCount } of given) expect(askCount).to.be.at.most(2)
        const inOrder = given.toSorted((a, b) => a.nth - b.nth)
        for (const [index, each] of inOrder.slice(1).entries()) {
          expect(each.at).to.be.at.least(inOrder[index]!.at)
        }
      }),
      { numRuns: 60 },
    )
  })

  it('give those who need several places each of them in time, in the order of asking, and leave none unused', async () => {
    const texts = fc.array(fc.integer({ min: 1, max: 2 * PACE_LIMIT + 2 }), { minLength: 1, maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(texts, async (needs) => {
        const pace = { key: `{${newName()}}`, limit: PACE_LIMIT, lengthMs: MINUTE }
        const given = await followExactly(
          needs.map(() => 0),
          (member, at) => windows.take(member, [{ ...pace, places: needs[Number(member.slice(7))]! }], at),
        )
        const inOrder = given
          .map((each) => ({ ...each, places: needs[each.nth]! }))
          .toSorted((a, b) => a.nth - b.nth)
        expectNeverAbove(PACE_LIMIT, inOrder.flatMap(placesOf))
        let before = 0
        for (const [index, { at, places }] of inOrder.entries()) {
          expect(at, `text ${index} of ${needs.join()}`).to.be.at.least(inOrder[index - 1]?.at ?? 0)
          expect(at, `text ${index} of ${needs.join()}`).to.be.at.most((before * MINUTE) / PACE_LIMIT)
          before += places
        }
      }),
      { numRuns: 100 },
    )
  })

  it('are used to the full by those who come back when told: 5 in every minute for 8 minutes', async () => {
    const window = { key: `{${newName()}}`, limit: 5, lengthMs: MINUTE }
    const given = await followExactly(
      Array.from({ length: 40 }, (_, nth) => nth * 17),
      (member, at) => windows.take(member, [window], at),
    )
    expect(countPerMinute(given)).to.deep.equal([5, 5, 5, 5, 5, 5, 5, 5])
  })

  it('are used to the full two together: 12 busy numbers, one message of each waiting, make 30 a minute', async () => {
    const name = newName()
    const line = { key: `{${name}}:line`, limit: LINE_LIMIT, lengthMs: MINUTE }
    const given: { at: number; member: string }[] = []
    // As in the worker: the next message to a number asks when the one before has its place.
    const coming = Array.from({ length: 12 }, (_, ofNumber) => ({ at: ofNumber, ofNumber, nth: 0 }))
    while (coming.length > 0) {
      coming.sort((a, b) => a.at - b.at)
      const { at, ofNumber, nth } = coming.shift()!
      const number = { key: `{${name}}:to:${ofNumber}`, limit: NUMBER_LIMIT, lengthMs: MINUTE }
      const member = `${ofNumber}-${nth}`
      const waitMs = await windows.take(member, [number, line], at)
      if (waitMs > 0) coming.push({ at: at + waitMs, ofNumber, nth })
      else {
        given.push({ at, member })
        if (nth < 9) coming.push({ at, ofNumber, nth: nth + 1 })
      }
    }
    expectNeverAbove(LINE_LIMIT, given)
    expect(given).to.have.length(120)
    // In the last minute some numbers have nothing left, and others are at their own limit.
    expect(countPerMinute(given).slice(0, 3)).to.deep.equal([30, 30, 30])
  })

  it('give a place to those who come back when told by the clock of Redis', async () => {
    const window = { key: `{${newName()}}`, limit: 2, lengthMs: 400 }
    const startedAt = performance.now()
    const askCounts = await Promise.all(
      Array.from({ length: 6 }, async (_, nth) => {
        for (let askCount = 1; ; askCount += 1) {
          const waitMs = await windows.take(`client ${nth}`, [window])
          if (waitMs === 0) return askCount
          await sleep(waitMs)
        }
      }),
    )
    // Two lengths, less what rounding to whole milliseconds takes off.
    expect(performance.now() - startedAt).to.be.greaterThan(790)
    // A timer may be a little early or late; nobody asks over and over.
    expect(Math.max(...askCounts)).to.be.at.most(10)
  })
})

/** Every span of the length holds at most `limit` members, a repeated one once: look back from each place. */
function expectNeverAbove(limit: number, given: readonly { at: number; member: string }[]): void {
  for (const { at } of given) {
    const span = given.filter((each) => each.at > at - MINUTE && each.at <= at)
    const members = new Set(span.map(({ member }) => member))
    expect(members.size, `places taken in the minute up to ${at}`).to.be.at.most(limit)
  }
}

function placesOf({ member, at, places }: Pick<Answer, 'member' | 'at' | 'places'>) {
  return placesFrom({ at, places }).map((moment, nth) => ({ at: moment, member: `${member} ${nth}` }))
}

function countPerMinute(given: readonly { at: number }[]): number[] {
  const counts: number[] = []
  for (const { at } of given) counts[Math.floor(at / MINUTE)] = (counts[Math.floor(at / MINUTE)] ?? 0) + 1
  return counts
}

/** Members that arrive at these moments and come back exactly when told, until all have a place. */
async function followExactly(
  moments: readonly number[],
  take: (member: string, at: number) => Promise<number>,
): Promise<{ member: string; at: number; nth: number; askCount: number }[]> {
  const coming = moments
    .toSorted((a, b) => a - b)
    .map((at, nth) => ({ member: `member ${nth}`, at, nth, askCount: 0 }))
  const given: typeof coming = []
  while (coming.length > 0) {
    coming.sort((a, b) => a.at - b.at || a.nth - b.nth)
    const next = coming.shift()!
    const waitMs = await take(next.member, next.at)
    const asked = { ...next, askCount: next.askCount + 1 }
    if (waitMs === 0) given.push(asked)
    else coming.push({ ...asked, at: next.at + waitMs })
  }
  return given
}
