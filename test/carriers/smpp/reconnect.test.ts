import { expect } from 'chai'
import { failuresAfter, reconnectMs } from '../../../src/carriers/smpp/reconnect.js'

describe('the wait before the next session', () => {
  const waitAfter = (lives: number[]) => reconnectMs(Math.max(lives.reduce(failuresAfter, 0), 1), 0.5)

  it('is short after a session that has lived for some time', () => {
    expect(waitAfter([60_000])).to.equal(500)
    expect(waitAfter([10, 10, 10, 60_000])).to.equal(500)
  })

  it('grows with each session that ends soon after its bind', () => {
    expect([[10], [10, 10], [10, 10, 10]].map(waitAfter)).to.deep.equal([500, 1000, 2000])
  })
})
