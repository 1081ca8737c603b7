import { expect } from 'chai'
import type { Redis } from 'ioredis'
import { redisServer } from '../../bin/doctor/redis.js'
import { openSubject } from '../../bin/doctor/subject.js'
import { readConfig } from '../../src/config.js'
import { connectRedis, whenReady } from '../../src/kit/redis/redis.js'
import { createEnvironment } from '../helpers/process/environment.js'
import { memoryLog } from '../helpers/process/log.js'
import { startWatchedRedis, type WatchedRedis } from '../helpers/services/sentinels.js'
import { createDataFolder } from '../helpers/services/services.js'
import { until } from '../helpers/until.js'

describe('Redis behind Sentinel', function () {
  this.timeout(180_000)
  let watched: WatchedRedis
  const clients: Redis[] = []

  before(async () => {
    watched = await startWatchedRedis(createDataFolder('watched'), { replicas: 1, sentinels: 2 })
  })

  after(async () => {
    for (const client of clients) client.disconnect()
    for (const pid of watched.sentinelPids) process.kill(pid, 'SIGCONT')
    await watched.stop()
  })

  async function configuration(more: Record<string, string> = {}) {
    return createEnvironment({ REDIS_URL: watched.url, REDIS_SENTINELS: watched.sentinels, ...more })
  }

  async function connect(manner: 'fail-fast' | 'wait'): Promise<Redis> {
    const { redisUrl, redisSentinels } = readConfig(await configuration())
    const client = connectRedis(redisUrl, manner, memoryLog().log, redisSentinels)
    clients.push(client)
    return client
  }

  it('connections follow the master to the replica, and those that BullMQ makes of them do', async () => {
    const [failFast, waiting] = [await connect('fail-fast'), await connect('wait')]
    const blocking = waiting.duplicate()
    // BullMQ listens for it as well.
    blocking.on('error', () => undefined)
    clients.push(blocking)
    await Promise.all([failFast, waiting, blocking].map(whenReady))
    await failFast.set('kept', 'yes')
    await until('the replica has it', async () => (await failFast.wait(1, 100)) === 1)

    const popped = blocking.blpop('list', 0).catch(() => undefined)
    await watched.killMaster()
    const late = waiting.get('kept')
    await watched.whenReplaced()
    expect(await late).to.equal('yes')
    await until('nobody is cut off any more', async () => (await failFast.rpush('list', 'first')) > 0)
    await until('the one that blocked is there too', () => blocking.status === 'ready')
    expect([await popped, await waiting.lpop('list')].flat()).to.include('first')
  })

  it('one of the Sentinels hangs: the next one is asked', async () => {
    const [first = 0] = watched.sentinelPids
    process.kill(first, 'SIGSTOP')
    const client = await connect('fail-fast')
    await whenReady(client)
    expect(await client.get('kept')).to.equal('yes')
    process.kill(first, 'SIGCONT')
  })

  it('linehook doctor finds it, and says what is wrong when the Sentinels know no such master', async () => {
    const look = async (environment: Record<string, string>) => {
      const subject = openSubject(environment)
      const found = await redisServer.look(subject, () => true)
      await subject.close()
      return found
    }
    expect(await look(await configuration())).to.include({ state: 'ok' })
    const wrong = await look(await configuration({ REDIS_URL: 'redis://:S3cret@nobody' }))
    expect(wrong).to.include({
      state: 'fault',
      cure: 'Correct REDIS_SENTINELS, REDIS_SENTINEL_PASSWORD or the name of the master in REDIS_URL.',
    })
    expect(wrong.why).to.match(/^Redis \(Sentinel master nobody\) could not be found through Sentinel: /)
    expect(JSON.stringify(wrong)).not.to.include('S3cret')
  })
})
