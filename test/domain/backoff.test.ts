import { expect } from 'chai'
import fc from 'fast-check'
import { backoffMs, type Backoff } from '../../src/domain/backoff.js'

const backoff: Backoff = { baseMs: 1000, factor: 2, capMs: 300_000, jitter: 0.2 }

describe('backoff', () => {
  it('grows by its factor from its base, up to its cap', () => {
    const waits = Array.from({ length: 12 }, (_, index) => backoffMs(index + 1, backoff, 0.5))
    expect(waits).to.deep.equal([
      1000, 2000, 4000, 8000, 16_000, 32_000, 64_000, 128_000, 256_000, 300_000, 300_000, 300_000,
    ])
  })

  it('is a fifth shorter or longer at the bounds of chance', () => {
    expect(backoffMs(1, backoff, 0)).to.equal(800)
    expect(backoffMs(1, backoff, 0.25)).to.equal(900)
    expect(backoffMs(1, backoff, 0.999_999)).to.equal(1200)
    expect(backoffMs(50, backoff, 0)).to.equal(240_000)
  })

  it('is exact without jitter', () => {
    for (const random of [0, 0.3, 0.99]) {
      expect(backoffMs(3, { ...backoff, jitter: 0 }, random)).to.equal(4000)
    }
  })

  it('is a whole number within its bounds for any attempt and any chance', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), random, (attempt, chance) => {
        const wait = backoffMs(attempt, backoff, chance)
        const step = Math.min(1000 * 2 ** (attempt - 1), 300_000)
        expect(Number.isInteger(wait)).to.be.true
        expect(wait).to.be.within(step * 0.8, step * 1.2)
      }),
    )
  })
})
