import { expect } from 'chai'
import { createThrottle, type Throttle } from '../../src/kit/redis/throttle.js'
import { describeContext } from '../helpers/context.js'
import { until } from '../helpers/until.js'

describeContext('a throttle', (context) => {
  const ALLOWANCE = { key: 'someone', limit: 3, lengthMs: 60_000 }

  for (const [what, makeThrottle] of [
    ['in Redis', () => Promise.resolve(createThrottle(context.redis))],
    ['without Redis', withoutRedis],
  ] as const) {
    describe(what, () => {
      let throttle: Throttle
      beforeEach(async () => {
        await context.redis.del(ALLOWANCE.key)
        throttle = await makeThrottle()
      })

      it('lets so many through, also of many at once, and tells the others how long', async () => {
        const waits = await Promise.all(Array.from({ length: 10 }, () => throttle.take(ALLOWANCE)))
        expect(waits.filter((ms) => ms === 0)).to.have.length(3)
        for (const ms of waits.filter((each) => each !== 0)) expect(ms).to.be.within(1, 60_000)
      })

      it('has room again after its length, however often it was asked meanwhile', async () => {
        const short = { ...ALLOWANCE, lengthMs: 500 }
        for (let n = 0; n < 3; n += 1) await throttle.take(short)
        await until('there is room', async () => (await throttle.take(short)) === 0)
      })

      it('counts apart what has another key', async () => {
        for (let n = 0; n < 3; n += 1) await throttle.take(ALLOWANCE)
        expect(await throttle.take({ ...ALLOWANCE, key: 'another' })).to.equal(0)
        await context.redis.del('another')
      })

      it('lets who is free through while there is room, and does not count them', async () => {
        for (let n = 0; n < 10; n += 1) expect(await throttle.take(ALLOWANCE, { isFree: true })).to.equal(0)
        for (let n = 0; n < 3; n += 1) expect(await throttle.take(ALLOWANCE)).to.equal(0)
        expect(await throttle.take(ALLOWANCE, { isFree: true })).to.be.above(0)
      })
    })
  }

  it('keeps nothing in Redis of who was refused, and nothing at all when it is over', async () => {
    const short = { key: 'flood', limit: 2, lengthMs: 1000 }
    for (let n = 0; n < 100; n += 1) await context.throttle.take(short)
    expect(await context.redis.zcard(short.key)).to.be.at.most(2)
    await until('it is gone', async () => (await context.redis.exists(short.key)) === 0)
  })

  /** A connection that is closed: every command fails at once. */
  function withoutRedis(): Promise<Throttle> {
    const redis = context.redis.duplicate()
    const throttle = createThrottle(redis)
    redis.disconnect()
    return Promise.resolve(throttle)
  }
})
