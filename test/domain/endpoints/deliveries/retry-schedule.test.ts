import { expect } from 'chai'
import fc from 'fast-check'
import { readFile } from 'node:fs/promises'
import {
  DEFAULT_RETRY_WORDS,
  MAX_ATTEMPTS,
  nextRetryMs,
  readRetryAfter,
  retrySchedule,
} from '../../../../src/domain/endpoints/deliveries/retry-schedule.js'

const BASE_MS = 5000
const SECOND = 1000
const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Of the 1st to the 9th attempt: 5 s, 20 s, 80 s, 5 min 20 s, 21 min, 85 min, 5.7 h, 22.8 h, 24 h. */
const STEPS = [5, 20, 80, 320, 1280, 5120, 20_480, 81_920].map((seconds) => seconds * SECOND).concat(DAY)

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const attempt = fc.integer({ min: 1, max: 9 })

describe('retry schedule', () => {
  it('is 5 s, 20 s, 80 s, 320 s … up to 24 h, when chance is in the middle', () => {
    expect(STEPS.map((_, index) => nextRetryMs(index + 1, BASE_MS, undefined, 0.5))).to.deep.equal(STEPS)
  })

  it('takes as long as people are told', async () => {
    const hours = Math.round(STEPS.reduce((sum, wait) => sum + wait, 0) / HOUR)
    expect(DEFAULT_RETRY_WORDS).to.equal(`10 attempts in about ${hours} hours`)
    for (const path of ['README.md', 'docs/concepts.md', 'docs/operating/runbooks.md']) {
      expect(await readFile(path, 'utf8'), path).to.include(`about ${hours} hours`)
    }
  })

  it('ends with the 10th attempt', () => {
    expect(MAX_ATTEMPTS).to.equal(10)
    expect(nextRetryMs(9, BASE_MS, undefined, 0.5)).to.equal(DAY)
    for (const last of [10, 11, 1000]) {
      expect(nextRetryMs(last, BASE_MS, undefined, 0.5)).to.be.undefined
      expect(nextRetryMs(last, BASE_MS, 60_000, 0.5)).to.be.undefined
    }
  })

  it('is spread by a fifth to both sides, in whole milliseconds', () => {
    fc.assert(
      fc.property(attempt, chance, (nth, random) => {
        const wait = nextRetryMs(nth, BASE_MS, undefined, random)!
        expect(Number.isInteger(wait)).to.be.true
        expect(wait).to.be.within(STEPS[nth - 1]! * 0.8, STEPS[nth - 1]! * 1.2)
      }),
    )
    expect(nextRetryMs(1, BASE_MS, undefined, 0)).to.equal(4000)
    expect(nextRetryMs(1, BASE_MS, undefined, 0.999_999_9)).to.equal(6000)
  })

  it('follows the base that is configured', () => {
    expect([1, 2, 3].map((nth) => nextRetryMs(nth, 10, undefined, 0.5))).to.deep.equal([10, 40, 160])
    expect(retrySchedule(10)).to.include({ baseMs: 10, factor: 4, jitter: 0.2, capMs: DAY })
  })

  describe('with Retry-After', () => {
    it('waits as long as the endpoint asks, when that is longer than the step', () => {
      expect(nextRetryMs(1, BASE_MS, 60_000, 0.5)).to.equal(60_000)
      expect(nextRetryMs(3, BASE_MS, 2 * HOUR, 0.5)).to.equal(2 * HOUR)
    })

    it('does not come sooner than the step, whatever the endpoint asks', () => {
      for (const asked of [0, 1000, 79_999]) expect(nextRetryMs(3, BASE_MS, asked, 0.5)).to.equal(80_000)
    })

    it('does not wait longer than 24 h, whatever the endpoint asks', () => {
      for (const asked of [DAY, DAY + 1, 365 * DAY, Number.MAX_SAFE_INTEGER]) {
        expect(nextRetryMs(1, BASE_MS, asked, 0.5)).to.equal(DAY)
      }
    })

    it('lies between the step and the longer of step and 24 h, for anything that can be asked', () => {
      fc.assert(
        fc.property(attempt, chance, fc.integer({ min: 0, max: 100 * DAY }), (nth, random, asked) => {
          const step = nextRetryMs(nth, BASE_MS, undefined, random)!
          expect(nextRetryMs(nth, BASE_MS, asked, random)).to.be.within(step, Math.max(step, DAY))
        }),
      )
    })
  })
})

describe('Retry-After', () => {
  const now = Date.parse('2026-12-01T12:00:00Z')

  it('is read as seconds', () => {
    expect(readRetryAfter('120', now)).to.equal(120_000)
    expect(readRetryAfter(' 0 ', now)).to.equal(0)
    expect(readRetryAfter('999999999', now)).to.be.greaterThan(DAY)
  })

  it('is at most a day, however many digits it has', () => {
    for (const value of ['999999999', '1795910400', '9'.repeat(400)]) {
      expect(nextRetryMs(1, BASE_MS, readRetryAfter(value, now), 0.5), value).to.equal(DAY)
    }
  })

  it('is read as an HTTP date, from now on', () => {
    expect(readRetryAfter('Tue, 01 Dec 2026 12:05:00 GMT', now)).to.equal(300_000)
  })

  it('is no wait when the date is over', () => {
    expect(readRetryAfter('Tue, 01 Dec 2026 11:00:00 GMT', now)).to.equal(0)
  })

  it('is not heeded when it is missing or says nothing', () => {
    for (const value of [undefined, '', 'soon', 'NaN', '12 minutes and a half']) {
      expect(readRetryAfter(value, now), String(value)).to.be.undefined
    }
  })

  it('gives a wait that is not negative, or none, for any text', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string(), fc.string({ unit: fc.constantFrom('0', '1', '9', '.', '-', '+', 'e', ' ') })),
        (text) => {
          const wait = readRetryAfter(text, now)
          if (wait !== undefined) expect(wait).to.be.at.least(0)
        },
      ),
      { numRuns: 1000 },
    )
  })
})
