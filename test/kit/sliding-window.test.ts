import { expect } from 'chai'
import type { Redis } from 'ioredis'
import { Unavailable } from '../../src/errors.js'
import { createSlidingWindows, type SlidingWindows, type Window } from '../../src/kit/redis/sliding-window.js'
import { failure } from '../helpers/failure.js'
import { connectTestRedis, startOwnRedis } from '../helpers/services/redis.js'

const MINUTE = 60_000
/** As in the source: how late a waiter may come back. */
const PATIENCE = 2000

describe('sliding window', () => {
  let redis: Redis
  let windows: SlidingWindows
  let count = 0

  before(async () => {
    redis = await connectTestRedis()
    windows = createSlidingWindows(redis)
  })

  after(() => {
    redis.disconnect()
  })

  function window(limit: number, lengthMs = MINUTE): Window {
    count += 1
    return { key: `{test}:${count}`, limit, lengthMs }
  }

  /** `limit` members a, b, c … take the places at these moments. */
  async function fill(full: Window, moments: readonly number[]): Promise<void> {
    for (const [index, at] of moments.entries()) {
      expect(await windows.take(`holder ${index}`, [full], at)).to.equal(0)
    }
  }

  it('gets back as many places as a line can have', async () => {
    const line = window(100_000)
    await windows.fill(
      line,
      Array.from({ length: line.limit }, (_, n) => ({ member: `member ${n}`, agoMs: 1000 })),
    )
    expect(await redis.zcard(line.key)).to.equal(line.limit)
    await windows.clear([line.key])
  })

  it('gives a place to as many as its limit, and tells the next one when the first place opens', async () => {
    const line = window(3)
    await fill(line, [0, 10, 20])
    expect(await windows.take('late', [line], 30)).to.equal(MINUTE - 30)
  })

  it('gives a place again when one has been held for the whole length, and not a millisecond before', async () => {
    const early = window(1)
    await fill(early, [0])
    expect(await windows.take('next', [early], MINUTE - 1)).to.be.greaterThan(0)
    const onTime = window(1)
    await fill(onTime, [0])
    expect(await windows.take('next', [onTime], MINUTE)).to.equal(0)
  })

  it('takes a place in every window or in none', async () => {
    const [number, line] = [window(1), window(3)]
    expect(await windows.take('first', [number, line], 0)).to.equal(0)
    expect(await windows.take('refused by the number', [number, line], 1)).to.be.greaterThan(0)
    expect(await windows.take('second', [line], 2)).to.equal(0)
    expect(await windows.take('third', [line], 3)).to.equal(0)
    expect(await windows.take('fourth', [line], 4)).to.be.greaterThan(0)
  })

  it('tells the opening of the window that opens last, in whatever order they are named', async () => {
    for (const isReversed of [false, true]) {
      const [early, late] = [window(1), window(1)]
      await fill(early, [0])
      await fill(late, [500])
      const both = isReversed ? [late, early] : [early, late]
      expect(await windows.take('waiter', both, 600)).to.equal(MINUTE - 100)
    }
  })

  it('counts a repeat by the same member once', async () => {
    const line = window(2)
    await fill(line, [0])
    for (const at of [1, 2, 3]) expect(await windows.take('repeated', [line], at)).to.equal(0)
    expect(await redis.zcard(line.key)).to.equal(2)
  })

  it('counts a repeated member from its last time, when it really used its place', async () => {
    const line = window(1)
    expect(await windows.take('repeated', [line], 0)).to.equal(0)
    expect(await windows.take('repeated', [line], 30_000)).to.equal(0)
    expect(await windows.take('next', [line], MINUTE)).to.equal(30_000)
  })

  it('gives one that goes first the next place, before all who wait, who then get the places after it', async () => {
    const line = window(2)
    await fill(line, [0, 1000])
    for (const name of ['waiter 1', 'waiter 2', 'waiter 3']) await windows.take(name, [line], 1020)
    expect(await windows.takeFirst('reply', [line], 1030)).to.equal(MINUTE - 1030)
    // It was told the same moment, and asks before the reply does.
    expect(await windows.take('waiter 1', [line], MINUTE)).to.equal(1000)
    expect(await windows.takeFirst('reply', [line], MINUTE + 1)).to.equal(0)
    expect(await windows.take('waiter 2', [line], MINUTE + 1000)).to.equal(MINUTE - 999)
    expect(await windows.take('waiter 1', [line], MINUTE + 1000)).to.equal(0)
  })

  it('gives two that go first their places one after the other, and a free one at once', async () => {
    const line = window(2)
    await fill(line, [0, 1000])
    await windows.take('waiter', [line], 1020)
    for (const name of ['reply 1', 'reply 2'])
      expect(await windows.takeFirst(name, [line], 1030)).to.equal(MINUTE - 1030)
    expect(await windows.takeFirst('reply 1', [line], MINUTE)).to.equal(0)
    expect(await windows.takeFirst('reply 2', [line], MINUTE)).to.equal(1000)
    expect(await windows.take('waiter', [line], MINUTE)).to.equal(1000)
    expect(await windows.take('waiter', [line], MINUTE + 1000)).to.equal(MINUTE - 1000)
    expect(await windows.takeFirst('reply 2', [line], MINUTE + 1000)).to.equal(0)
    expect(await windows.takeFirst('reply 3', [line], 2 * MINUTE)).to.equal(0)
  })

  it('lets a member that has its place repeat, however many wait for one', async () => {
    const line = window(2)
    await fill(line, [0, 10])
    expect(await windows.take('waiter', [line], 20)).to.be.greaterThan(0)
    expect(await windows.take('holder 1', [line], 30)).to.equal(0)
  })

  it('does not keep for ever the place of a member whose repeat is refused by another window', async () => {
    const [number, line] = [window(1), window(2)]
    expect(await windows.take('first', [line], 0)).to.equal(0)
    expect(await windows.take('second', [number], 10)).to.equal(0)
    expect(await windows.take('first', [number, line], 20)).to.be.greaterThan(0)
    expect(await redis.pttl(line.key)).to.be.within(1, MINUTE)
  })

  it('does not lose the place of a member whose repeat is refused by another window', async () => {
    const [number, line] = [window(1), window(2)]
    expect(await windows.take('first', [number, line], 0)).to.equal(0)
    await windows.clear([number.key])
    expect(await windows.take('second', [number, line], 10)).to.equal(0)
    expect(await windows.take('first', [number, line], 20)).to.be.greaterThan(0)
    expect(await windows.take('third', [line], 30), 'both places of the line are held').to.equal(MINUTE - 30)
  })

  it('tells waiters different openings, one for each place that opens', async () => {
    const line = window(3)
    await fill(line, [0, 100, 200])
    const told: number[] = []
    for (let waiter = 0; waiter < 7; waiter += 1) {
      told.push(1000 + (await windows.take(`waiter ${waiter}`, [line], 1000)))
    }
    expect(told).to.deep.equal(
      [0, 100, 200, MINUTE, MINUTE + 100, MINUTE + 200, 2 * MINUTE].map((at) => at + MINUTE),
    )
  })

  it('holds a place for a moment to come: nobody else has it before or at that moment, and its member does', async () => {
    const line = window(1)
    await fill(line, [0])
    await windows.hold('holder 0', [line], 2 * MINUTE, 10)
    expect(await windows.take('next', [line], 20)).to.equal(3 * MINUTE + 10 - 20)
    expect(await redis.pttl(line.key)).to.be.greaterThan(2 * MINUTE)
    expect(await windows.take('holder 0', [line], 2 * MINUTE + 10)).to.equal(0)
    expect(await windows.take('next', [line], 3 * MINUTE + 10)).to.equal(0)
  })

  describe('for members that take several places', () => {
    /** One place opens every 20 s. Redis forgets a window by its own clock, which goes on during the test. */
    const pace = () => window(5, 100_000)

    it('gives the next one its first place when the last one has its last', async () => {
      const full = pace()
      expect(await windows.take('a', [{ ...full, places: 4 }], 0)).to.equal(0)
      expect(await windows.take('b', [{ ...full, places: 4 }], 1000)).to.equal(79_000)
      expect(await windows.take('c', [full], 1000)).to.equal(159_000)
      expect(await windows.take('b', [{ ...full, places: 4 }], 80_000)).to.equal(0)
      expect(await windows.take('c', [full], 160_000)).to.equal(0)
    })

    it('gives one that takes more than the limit its turn too, and lets the next one wait for all of it', async () => {
      const full = pace()
      expect(await windows.take('long', [{ ...full, places: 12 }], 0)).to.equal(0)
      expect(await windows.take('next', [{ ...full, places: 12 }], 100)).to.equal(239_900)
      expect(await windows.takeFirst('reply', [full], 200)).to.equal(239_800)
    })

    it('does not let one that takes less overtake one that waits for more', async () => {
      const full = pace()
      expect(await windows.take('short', [{ ...full, places: 3 }], 0)).to.equal(0)
      expect(await windows.take('long', [{ ...full, places: 5 }], 10_000)).to.equal(50_000)
      expect(await windows.take('late', [full], 10_000)).to.be.above(50_000)
      expect(await windows.take('late', [full], 61_000), 'while the long one is late').to.be.above(0)
      expect(await windows.take('long', [{ ...full, places: 5 }], 61_500)).to.equal(0)
    })

    it('holds all of them, and gives all of them back', async () => {
      const full = pace()
      expect(await windows.take('a', [{ ...full, places: 4 }], 0)).to.equal(0)
      await windows.hold('a', [full], 300_000, 0)
      expect(await windows.take('b', [{ ...full, places: 4 }], 1000)).to.equal(379_000)
      expect(await windows.take('c', [full], 1000)).to.equal(459_000)
      expect(await windows.take('d', [{ ...full, places: 2 }], 1000)).to.equal(479_000)
      expect(await windows.leave(full, ['b'], 10_000)).to.deep.equal([
        { member: 'c', waitMs: 0 },
        { member: 'd', waitMs: 390_000 },
      ])
      expect(await windows.leave(full, ['a'], 10_000)).to.deep.equal([{ member: 'd', waitMs: 0 }])
    })

    it('gives back the places for later of one that leaves after its first', async () => {
      const full = pace()
      expect(await windows.take('a', [{ ...full, places: 4 }], 0)).to.equal(0)
      expect(await windows.take('b', [{ ...full, places: 5 }], 1000)).to.equal(79_000)
      expect(await windows.leave(full, ['a'], 10_000)).to.deep.equal([{ member: 'b', waitMs: 10_000 }])
    })

    it('counts a repeat once, from its last time', async () => {
      const full = pace()
      for (const at of [0, 30_000, 90_000]) {
        expect(await windows.take('a', [{ ...full, places: 9 }], at)).to.equal(0)
        expect(await redis.zcard(full.key)).to.equal(9)
      }
      expect(await windows.take('b', [full], 90_100)).to.equal(179_900)
    })
  })

  it('keeps a held place as long, however many come and go in the others', async () => {
    const line = window(2)
    await fill(line, [0])
    await windows.hold('holder 0', [line], 2 * MINUTE, 0)
    expect(await windows.take('passer-by', [line], 10)).to.equal(0)
    expect(await redis.pttl(line.key)).to.be.greaterThan(2 * MINUTE)
  })

  it('holds no place that there is none of any more', async () => {
    const line = window(1)
    await fill(line, [0])
    await windows.clear([line.key])
    await windows.hold('holder 0', [line], MINUTE, 10)
    expect(await windows.take('next', [line], 20)).to.equal(0)
  })

  it('does not let a newcomer overtake those who were told to come back', async () => {
    const line = window(1)
    await fill(line, [0])
    expect(await windows.take('waiter', [line], 1000)).to.equal(MINUTE - 1000)
    expect(await windows.take('newcomer', [line], MINUTE)).to.be.greaterThan(0)
    expect(await windows.take('waiter', [line], MINUTE + 1)).to.equal(0)
  })

  it('gives waiters their places in the order in which they asked first', async () => {
    const line = window(1)
    await fill(line, [0])
    const names = ['z', 'm', 'a']
    for (const [index, name] of names.entries()) await windows.take(name, [line], 10 + index)
    for (const [index, name] of names.entries()) {
      const opening = (index + 1) * MINUTE
      for (const later of names.slice(index + 1)) {
        expect(await windows.take(later, [line], opening), `${later} before ${name}`).to.be.greaterThan(0)
      }
      expect(await windows.take(name, [line], opening), name).to.equal(0)
    }
  })

  it('keeps the turn of a waiter that asks too early, and tells it the same moment', async () => {
    const line = window(1)
    await fill(line, [0])
    expect(await windows.take('first', [line], 10)).to.equal(MINUTE - 10)
    expect(await windows.take('second', [line], 20)).to.equal(2 * MINUTE - 20)
    expect(await windows.take('second', [line], 30)).to.equal(2 * MINUTE - 30)
    expect(await windows.take('first', [line], MINUTE - 100)).to.equal(100)
    expect(await windows.take('first', [line], MINUTE)).to.equal(0)
  })

  it('keeps the turns of those told later when an earlier waiter asks too early', async () => {
    const line = window(1)
    await fill(line, [0])
    await windows.take('first', [line], 10)
    await windows.take('second', [line], 20)
    const startedAt = performance.now()
    await windows.take('first', [line], MINUTE - 100)
    // `second` is to come back in a minute and 100 ms, and may be late.
    const leftMs = await redis.pttl(`${line.key}:waiting`)
    expect(leftMs + performance.now() - startedAt).to.be.greaterThan(MINUTE + 100 + PATIENCE / 2)
  })

  it('keeps the turn of a waiter in one window while another window holds it up', async () => {
    const [number, line] = [window(1), window(2)]
    expect(await windows.take('first', [number, line], 0)).to.equal(0)
    expect(await windows.take('waiter', [number, line], 100)).to.equal(MINUTE - 100)
    expect(await windows.take('other', [line], 30_000)).to.equal(0)
    expect(await windows.take('another', [line], MINUTE)).to.equal(0)
    expect(await windows.take('waiter', [number, line], MINUTE), 'now the line is full').to.equal(30_000)
    expect(await windows.take('newcomer', [number], MINUTE + 1)).to.be.greaterThan(0)
    expect(await windows.take('waiter', [number, line], MINUTE + 30_000)).to.equal(0)
  })

  it('gives the turn of a waiter that never came back to the next who asks, after its patience', async () => {
    const line = window(1)
    await fill(line, [0])
    expect(await windows.take('never comes back', [line], 10)).to.equal(MINUTE - 10)
    const early = window(1)
    await fill(early, [0])
    await windows.take('comes late', [early], 10)
    expect(await windows.take('newcomer', [early], MINUTE + PATIENCE - 1)).to.be.greaterThan(0)
    expect(await windows.take('newcomer', [line], MINUTE + PATIENCE)).to.equal(0)
  })

  it('lets others look again shortly while somebody is late in a window shorter than its patience', async () => {
    const pace = window(1, 1000)
    await fill(pace, [0])
    expect(await windows.take('never comes back', [pace], 10)).to.equal(990)
    const waitMs = await windows.take('newcomer', [pace], 2500)
    expect(waitMs).to.be.within(1, 1000)
    expect(await windows.take('newcomer', [pace], 1000 + PATIENCE)).to.equal(0)
  })

  it('keeps the promises to all others when one waiter never comes back', async () => {
    const line = window(2)
    await fill(line, [0, 100])
    const told = new Map<string, number>()
    for (const name of ['dead', 'b', 'c', 'd', 'e'])
      told.set(name, 200 + (await windows.take(name, [line], 200)))
    told.delete('dead')
    for (const [name, at] of told) expect(await windows.take(name, [line], at), name).to.equal(0)
  })

  it('gives those behind who leave the times that they would have been told without them, in order', async () => {
    const line = window(2)
    await fill(line, [0, 100])
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    for (const name of names) await windows.take(name, [line], 200)
    expect(await windows.leave(line, ['a', 'c', 'unknown'], 300)).to.deep.equal([
      { member: 'b', waitMs: MINUTE - 300 },
      { member: 'd', waitMs: MINUTE - 200 },
      { member: 'e', waitMs: 2 * MINUTE - 300 },
      { member: 'f', waitMs: 2 * MINUTE - 200 },
    ])
    expect(await windows.take('newcomer', [line], 400)).to.equal(3 * MINUTE - 400)
    for (const [index, at] of [0, 100, MINUTE, MINUTE + 100].entries()) {
      const name = ['b', 'd', 'e', 'f'][index]!
      expect(await windows.take(name, [line], MINUTE + at), name).to.equal(0)
    }
  })

  it('moves nobody when one leaves that has no turn, and those before one that leaves stay', async () => {
    const line = window(1)
    await fill(line, [0])
    for (const name of ['a', 'b']) await windows.take(name, [line], 10)
    expect(await windows.leave(line, ['unknown'], 20)).to.deep.equal([])
    expect(await windows.leave(line, ['b'], 20)).to.deep.equal([])
    expect(await windows.take('a', [line], MINUTE)).to.equal(0)
  })

  it('keeps the place that was taken of one that leaves, but not one that it holds for later', async () => {
    const line = window(1)
    await fill(line, [0])
    await windows.take('waiter', [line], 10)
    expect(await windows.leave(line, ['holder 0'], 20)).to.deep.equal([])
    await windows.hold('holder 0', [line], 2 * MINUTE, 20)
    expect(await windows.leave(line, ['holder 0'], 30)).to.deep.equal([{ member: 'waiter', waitMs: 0 }])
    expect(await windows.take('waiter', [line], 30)).to.equal(0)
  })

  it('is empty after clear, for those who held places and for those who waited', async () => {
    const line = window(2)
    await fill(line, [0, 1])
    for (const name of ['a', 'b', 'c']) await windows.take(name, [line], 2)
    await windows.clear([line.key])
    await fill(line, [3, 4])
    expect(await windows.take('next', [line], 5)).to.equal(MINUTE - 2)
    const others = [window(1), window(1)]
    for (const other of others) await fill(other, [0])
    await windows.clear(others.map(({ key }) => key))
    for (const other of others) expect(await windows.take('first', [other], 1)).to.equal(0)
  })

  it('leaves no key without an end', async () => {
    const line = window(1)
    const startedAt = performance.now()
    const sinceThen = () => performance.now() - startedAt
    await fill(line, [0])
    expect(await redis.pttl(line.key)).to.be.within(MINUTE - 5000 - sinceThen(), MINUTE)
    await windows.take('waiter', [line], 1000)
    expect(await redis.pttl(`${line.key}:waiting`)).to.be.within(
      MINUTE - 5000 - sinceThen(),
      MINUTE + PATIENCE,
    )
  })

  it('gives exactly its limits in a race of 200 over four connections by the clock of Redis', async () => {
    const { password = '', host = '', port = 0, db = 0 } = redis.options
    const url = `redis://:${password}@${host}:${port}/${db}`
    const clients = await Promise.all(Array.from({ length: 4 }, () => connectTestRedis(url)))
    try {
      const racers = clients.map(createSlidingWindows)
      const line = window(30)
      const numbers = Array.from({ length: 10 }, () => window(5))
      const waits = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          racers[index % 4]!.take(`racer ${index}`, [numbers[index % 10]!, line]),
        ),
      )
      const winners = waits.flatMap((wait, index) => (wait === 0 ? [index] : []))
      expect(winners).to.have.length(30)
      for (const digit of numbers.keys()) {
        expect(winners.filter((index) => index % 10 === digit).length).to.be.at.most(5)
      }
      for (const wait of waits.filter((each) => each !== 0)) expect(wait).to.be.within(1, 200 * MINUTE)
    } finally {
      for (const client of clients) client.disconnect()
    }
  })

  it('goes by the clock of Redis, in milliseconds, when it is not told the time', async () => {
    const line = window(1)
    const readClock = async () => {
      const [seconds, microseconds] = await redis.time()
      return Number(seconds) * 1000 + Math.floor(Number(microseconds) / 1000)
    }
    for (let nth = 0; nth < 3; nth += 1) {
      const before = await readClock()
      expect(await windows.take('holder', [line])).to.equal(0)
      expect(Number(await redis.zscore(line.key, 'holder'))).to.be.within(before, await readClock())
    }
  })

  it('goes on when Redis loses its data and its scripts, and is exact from then on', async () => {
    const line = window(2)
    await fill(line, [0, 1])
    await windows.take('waiter', [line], 2)
    await redis.flushdb()
    await redis.script('FLUSH')
    expect(await windows.take('a', [line], 3)).to.equal(0)
    expect(await windows.take('waiter', [line], 4)).to.equal(0)
    expect(await windows.take('b', [line], 5)).to.equal(MINUTE - 2)
  })

  it('throws Unavailable when Redis is down', async () => {
    const own = await startOwnRedis()
    const client = await connectTestRedis(own.url)
    try {
      const broken = createSlidingWindows(client)
      await own.stop()
      expect(await failure(broken.take('a', [window(1)]))).to.be.instanceOf(Unavailable)
      expect(await failure(broken.clear(['{test}:gone']))).to.be.instanceOf(Unavailable)
      expect(await failure(broken.clear(['{test}:gone', '{test}:other']))).to.be.instanceOf(Unavailable)
    } finally {
      client.disconnect()
      await own.remove()
    }
  })
})
