import { expect } from 'chai'
import type { Redis } from 'ioredis'
import { Unavailable } from '../src/errors.js'
import { createInFlightCap, type InFlightCap } from '../src/in-flight-cap.js'
import { failure } from './helpers/failure.js'
import { connectTestRedis, startOwnRedis } from './helpers/redis.js'
import { createTestRedis } from './helpers/services.js'
import { until } from './helpers/until.js'

const CAP = 3
const LEASE_MS = 60_000
const TIMEOUTS_TO_OPEN = 5

describe('in-flight cap', () => {
  let redis: Redis
  let otherRedis: Redis
  /** Two workers. */
  let cap: InFlightCap
  let otherCap: InFlightCap
  let count = 0
  let endpoint = ''

  before(async () => {
    const url = await createTestRedis()
    redis = await connectTestRedis(url)
    otherRedis = await connectTestRedis(url)
    cap = createInFlightCap(redis, CAP)
    otherCap = createInFlightCap(otherRedis, CAP)
  })

  after(() => {
    redis.disconnect()
    otherRedis.disconnect()
  })

  beforeEach(() => {
    count += 1
    endpoint = `endpoint-${count}`
  })

  async function timeOut(times: number): Promise<void> {
    for (let nth = 0; nth < times; nth += 1) {
      expect(await cap.enter(endpoint, `slow ${nth}`, LEASE_MS)).to.be.true
      await cap.leave(endpoint, `slow ${nth}`, true)
    }
  }

  it('lets as many as its cap to an endpoint, over all workers', async () => {
    expect(await cap.enter(endpoint, 'a', LEASE_MS)).to.be.true
    expect(await otherCap.enter(endpoint, 'b', LEASE_MS)).to.be.true
    expect(await cap.enter(endpoint, 'c', LEASE_MS)).to.be.true
    expect(await cap.enter(endpoint, 'd', LEASE_MS)).to.be.false
    expect(await otherCap.enter(endpoint, 'd', LEASE_MS)).to.be.false
  })

  it('lets exactly its cap in when many come at once', async () => {
    const entered = await Promise.all(
      Array.from({ length: 100 }, (_, nth) =>
        (nth % 2 === 0 ? cap : otherCap).enter(endpoint, `member ${nth}`, LEASE_MS),
      ),
    )
    expect(entered.filter(Boolean)).to.have.length(CAP)
  })

  it('keeps endpoints apart', async () => {
    for (const member of ['a', 'b', 'c']) await cap.enter(endpoint, member, LEASE_MS)
    expect(await cap.enter(`${endpoint}-other`, 'd', LEASE_MS)).to.be.true
  })

  it('gives a place to the next when one leaves, whichever worker says so', async () => {
    for (const member of ['a', 'b', 'c']) await cap.enter(endpoint, member, LEASE_MS)
    await otherCap.leave(endpoint, 'b', false)
    expect(await cap.enter(endpoint, 'd', LEASE_MS)).to.be.true
    expect(await cap.enter(endpoint, 'e', LEASE_MS)).to.be.false
  })

  it('counts a member that enters twice once', async () => {
    for (const member of ['a', 'b', 'c']) await cap.enter(endpoint, member, LEASE_MS)
    expect(await cap.enter(endpoint, 'a', LEASE_MS)).to.be.true
    await cap.leave(endpoint, 'a', false)
    expect(await cap.enter(endpoint, 'd', LEASE_MS)).to.be.true
  })

  it('takes back the place of a worker that died when its lease is over, and no other', async () => {
    await cap.enter(endpoint, 'alive', LEASE_MS)
    for (const member of ['dead', 'dead too']) await cap.enter(endpoint, member, 500)
    expect(await cap.enter(endpoint, 'next', LEASE_MS)).to.be.false
    await until('a lease is over', () => cap.enter(endpoint, 'next', LEASE_MS))
    await until('the other is over', () => cap.enter(endpoint, 'another', LEASE_MS))
    expect(await cap.enter(endpoint, 'one too many', LEASE_MS)).to.be.false
  })

  it('opens the circuit after 5 time-outs in a row: one request at a time', async () => {
    await timeOut(TIMEOUTS_TO_OPEN)
    expect(await cap.enter(endpoint, 'probe', LEASE_MS)).to.be.true
    expect(await otherCap.enter(endpoint, 'other', LEASE_MS)).to.be.false
    await cap.leave(endpoint, 'probe', true)
    expect(await otherCap.enter(endpoint, 'other', LEASE_MS)).to.be.true
    expect(await cap.enter(endpoint, 'probe', LEASE_MS)).to.be.false
  })

  it('leaves the circuit closed after 4 time-outs', async () => {
    await timeOut(TIMEOUTS_TO_OPEN - 1)
    expect(await cap.enter(endpoint, 'a', LEASE_MS)).to.be.true
    expect(await cap.enter(endpoint, 'b', LEASE_MS)).to.be.true
  })

  it('begins to count anew after an answer, since only time-outs in a row open the circuit', async () => {
    await timeOut(TIMEOUTS_TO_OPEN - 1)
    await cap.enter(endpoint, 'answered', LEASE_MS)
    await cap.leave(endpoint, 'answered', false)
    await timeOut(TIMEOUTS_TO_OPEN - 1)
    expect(await cap.enter(endpoint, 'a', LEASE_MS)).to.be.true
    expect(await cap.enter(endpoint, 'b', LEASE_MS)).to.be.true
  })

  it('keeps the circuit as it is when the endpoint was not asked after all', async () => {
    await timeOut(TIMEOUTS_TO_OPEN)
    await cap.enter(endpoint, 'skipped', LEASE_MS)
    await cap.leave(endpoint, 'skipped', undefined)
    expect(await cap.enter(endpoint, 'probe', LEASE_MS)).to.be.true
    expect(await cap.enter(endpoint, 'other', LEASE_MS)).to.be.false
  })

  it('closes the circuit when the probe is answered', async () => {
    await timeOut(TIMEOUTS_TO_OPEN)
    await cap.enter(endpoint, 'probe', LEASE_MS)
    await cap.leave(endpoint, 'probe', false)
    for (const member of ['a', 'b', 'c']) expect(await cap.enter(endpoint, member, LEASE_MS)).to.be.true
    expect(await cap.enter(endpoint, 'd', LEASE_MS)).to.be.false
  })

  it('does not open the circuit of another endpoint', async () => {
    await timeOut(TIMEOUTS_TO_OPEN)
    for (const member of ['a', 'b', 'c']) {
      expect(await cap.enter(`${endpoint}-other`, member, LEASE_MS)).to.be.true
    }
  })

  it('leaves no key without an end, and none for longer than its longest lease', async () => {
    await cap.enter(endpoint, 'long', LEASE_MS)
    await cap.enter(endpoint, 'short', 1000)
    expect(await redis.pttl(`lh:{${endpoint}}:in-flight`)).to.be.within(LEASE_MS - 10_000, LEASE_MS)
    await cap.leave(endpoint, 'short', true)
    expect(await redis.pttl(`lh:{${endpoint}}:timeouts`)).to.be.within(1, 600_000)
  })

  describe('without Redis', () => {
    it('throws Unavailable from enter, and nothing from leave', async () => {
      const own = await startOwnRedis()
      const client = await connectTestRedis(own.url)
      try {
        const broken = createInFlightCap(client, CAP)
        expect(await broken.enter('endpoint', 'a', LEASE_MS)).to.be.true
        await own.stop()
        expect(await failure(broken.enter('endpoint', 'b', LEASE_MS))).to.be.instanceOf(Unavailable)
        await broken.leave('endpoint', 'a', false)
        client.disconnect()
        await broken.leave('endpoint', 'a', true)
      } finally {
        client.disconnect()
        await own.remove()
      }
    })
  })
})
