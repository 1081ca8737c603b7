import { expect } from 'chai'
import { isPingPong } from '../../../src/domain/opt-out/ping-pong.js'

const NOW = new Date('2026-11-21T12:00:00Z')
/** So many times, evenly over the last `spanMs`. */
const times = (count: number, spanMs = 50_000) =>
  Array.from({ length: count }, (_, n) => new Date(NOW.getTime() - (n * spanMs) / count))

describe('a ping-pong of two programs', () => {
  for (const [what, inboundAt, outboundAt, expected] of [
    ['more than 10 messages with as many answers within a minute', times(11), times(10), true],
    ['10 messages with as many answers', times(10), times(10), false],
    ['a person who sends 8 texts in a minute', times(8), [], false],
    ['a person who sends 30 texts and gets a few answers', times(30), times(9), false],
    ['a line that sends 30 texts and gets a few answers', times(9), times(30), false],
    ['a long talk', times(60, 600_000), times(60, 600_000), false],
    ['nothing', [], [], false],
  ] as const) {
    it(`${expected ? 'is' : 'is not'}: ${what}`, () => {
      expect(isPingPong({ inboundAt, outboundAt }, NOW)).to.equal(expected)
    })
  }

  it('is over a minute after the last message', () => {
    const traffic = { inboundAt: times(20), outboundAt: times(20) }
    expect(isPingPong(traffic, NOW)).to.equal(true)
    expect(isPingPong(traffic, new Date(NOW.getTime() + 60_000))).to.equal(false)
  })
})
