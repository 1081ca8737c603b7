import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { until } from '../../test/helpers/until.js'
import type { Fault, World } from '../fault.js'

export const redisFaults: Fault[] = [
  {
    name: 'redis-killed',
    about: 'kill -9 of Redis, which is restarted after a few seconds.',
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
    accepting: 'never',
    inflict: async (world) => {
      const redis = new Redis(world.redis.url)
      await whenSent(world, 25)
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
    about: 'Redis loses the last second or two of its file, as after a power cut.',
    fromTheBeginning: true,
    accepting: 'never',
    // To kill Redis is no test of durability, because the page cache keeps what it wrote. What is cut off its file is gone.
    inflict: async (world) => {
      const { redis, redisLog, say, random } = world
      const size = redisLog.size()
      await whenSent(world, random.whole(15, 30))
      await redis.kill()
      say(`Redis loses ${redisLog.size() - size} bytes`)
      redisLog.cut(size)
      await redis.start()
    },
  },
]

/** Waits until the line with the usual limits has sent so many texts that it matters if Redis forgets them. */
async function whenSent({ taken, seeds }: World, count: number): Promise<void> {
  const ofLine = async () => (await taken()).filter(({ from }) => from === seeds.limited.number)
  await until(`${count} are sent`, async () => (await ofLine()).length >= count, 120_000)
}
