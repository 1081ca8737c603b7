import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import type { Fault, World } from '../fault.js'

export const redisFaults: Fault[] = [
  {
    name: 'redis-killed',
    about: 'kill -9 of Redis, started again after some seconds.',
    accepting: 'never',
    inflict: async (world) => {
      world.say('kill -9 of Redis')
      await world.redis.kill()
      await sleep(world.random.between(1000, 8000))
      await world.redis.start()
    },
  },
  {
    name: 'redis-frozen',
    about: 'SIGSTOP of Redis for 8 to 20 s.',
    isShort: true,
    accepting: 'never',
    inflict: async (world) => {
      const seconds = world.random.between(8, 20)
      world.say(`SIGSTOP of Redis for ${seconds.toFixed(1)} s`)
      world.redis.freeze()
      await sleep(seconds * 1000)
      world.redis.wake()
    },
  },
  {
    name: 'redis-flushed',
    about: 'FLUSHALL, three times.',
    isShort: true,
    accepting: 'never',
    inflict: async (world) => {
      const redis = new Redis(world.redis.url)
      for (let n = 0; n < 3; n += 1) {
        world.say('FLUSHALL')
        await redis.flushall()
        await sleep(world.random.between(2000, 5000))
      }
      redis.disconnect()
    },
  },
  {
    name: 'redis-cut',
    about: 'Redis loses the last seconds of what it wrote down, as after a power cut.',
    isShort: true,
    accepting: 'never',
    inflict: (world) => loseTheLast(world, world.random.between(1000, 4000)),
  },
]

/** Killing Redis is no test of durability: what it wrote is in the page cache. What is cut off is gone. */
async function loseTheLast({ redis, redisLog, say }: World, ms: number): Promise<void> {
  const size = redisLog.size()
  await sleep(ms)
  await redis.kill()
  say(`Redis loses ${ms.toFixed(0)} ms (${redisLog.size() - size} bytes)`)
  redisLog.cut(size)
  await redis.start()
}
