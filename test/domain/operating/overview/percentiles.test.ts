import { expect } from 'chai'
import fc from 'fast-check'
import { STEP } from '../../../../src/database/operating/overview/traffic-counts.js'
import { percentilesOf } from '../../../../src/domain/operating/overview/percentiles.js'

/** As the statement that counts does it. */
const stepOf = (ms: number) => Math.ceil(Math.log(Math.max(ms, 1)) / Math.log(STEP))

describe('percentiles of times that are counted in steps', () => {
  it('are none of nothing', () => {
    expect(percentilesOf([])).to.equal(undefined)
  })

  it('are within one step of the exact ones', () => {
    const times = fc.array(fc.double({ min: 1, max: 1e8, noNaN: true }), { minLength: 1, maxLength: 200 })
    fc.assert(
      fc.property(times, (all) => {
        const sorted = all.toSorted((a, b) => a - b)
        const exact = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] ?? NaN
        const found = percentilesOf(all.map((ms) => ({ step: stepOf(ms), count: 1 })))
        for (const [ms, share] of [
          [found?.p50Ms, 0.5],
          [found?.p95Ms, 0.95],
        ] as const) {
          expect(ms).to.be.within(exact(share) / (STEP * 1.001), exact(share) * STEP * 1.001)
        }
      }),
    )
  })
})
