import { expect } from 'chai'
import type { Redis } from 'ioredis'
import { Unavailable } from '../../src/errors.js'
import {
  connectRedis,
  MAX_BLOCK_SECONDS,
  redisAvailable,
  RedisUnsafe,
  requireDurableRedis,
  whenReady,
} from '../../src/kit/redis/redis.js'
import { startProxy, type Proxy } from '../database/proxy.js'
import { failure } from '../helpers/failure.js'
import { memoryLog } from '../helpers/process/log.js'
import { startOwnRedis, type OwnRedis } from '../helpers/services/redis.js'
import { until } from '../helpers/until.js'

describe('redis', () => {
  let own: OwnRedis
  const clients: Redis[] = []

  before(async () => {
    own = await startOwnRedis()
  })

  afterEach(() => {
    for (const client of clients.splice(0)) client.disconnect()
  })

  after(() => own.remove())

  function connect(manner: 'fail-fast' | 'wait', url = own.url) {
    const { log, lines } = memoryLog()
    const client = connectRedis(url, manner, log)
    clients.push(client)
    return { client, log, messages: () => lines.map(({ msg }) => msg), lines }
  }

  describe('a fail-fast connection', () => {
    it('fails at once while Redis is down, and works again when it is back on the same port', async () => {
      const { client, messages } = connect('fail-fast')
      await whenReady(client)
      await client.set('kept', 'yes')
      await own.stop()
      await until('the connection is seen to be lost', () => client.status !== 'ready')

      const startedAt = performance.now()
      for (let nth = 0; nth < 20; nth += 1) await failure(client.get('kept'))
      // Were each to wait for its command's time, it would be 20 times that.
      expect(performance.now() - startedAt).to.be.lessThan(10_000)
      await until('connecting has failed', () => messages().includes('redis.unreachable'))

      await own.start()
      const kept = await until('Redis answers again', () =>
        client.get('kept').then((value) => value ?? false),
      )
      expect(kept).to.equal('yes')
      expect(messages()).to.deep.equal(['redis.unreachable', 'redis.reachable'])
    })

    it('gives up a command that Redis does not answer', async () => {
      const { client } = connect('fail-fast')
      await whenReady(client)
      own.hang()
      try {
        const startedAt = performance.now()
        expect((await failure(client.ping())).message).to.match(/timed out/i)
        expect(performance.now() - startedAt).to.be.within(1000, 20_000)
      } finally {
        own.wake()
      }
      expect(await until('Redis answers', () => client.ping())).to.equal('PONG')
    })
  })

  describe('a connection that nobody answers any more, while new ones work', () => {
    let proxy: Proxy

    before(async () => {
      proxy = await startProxy(own.url)
    })
    after(() => proxy.close())

    for (const manner of ['fail-fast', 'wait'] as const) {
      it(`is made anew, by itself (${manner})`, async () => {
        const { client } = connect(manner, proxy.url)
        await whenReady(client)
        proxy.abandonOpen()
        expect(await until('Redis answers', () => client.ping())).to.equal('PONG')
      })
    }

    it('may be silent for longer while it blocks, and is made anew too', async () => {
      const { client } = connect('wait', proxy.url)
      await whenReady(client)
      const blocking = client.duplicate()
      clients.push(blocking.on('error', () => undefined))
      await whenReady(blocking)
      const clientId = await blocking.client('ID')
      expect(await blocking.bzpopmin('nothing', MAX_BLOCK_SECONDS + 1)).to.equal(null)
      expect(await blocking.client('ID')).to.equal(clientId)
      proxy.abandonOpen()
      expect(await blocking.bzpopmin('nothing', 0.1)).to.equal(null)
    })
  })

  describe('a waiting connection', () => {
    it('keeps a command until Redis is back', async () => {
      const { client } = connect('wait')
      await whenReady(client)
      await own.stop()
      await until('the connection is seen to be lost', () => client.status !== 'ready')
      const answer = client.ping()
      await own.start()
      expect(await answer).to.equal('PONG')
    })
  })

  it('is ready once it can be reached, however often connecting failed before', async () => {
    await own.stop()
    const { client, messages } = connect('fail-fast')
    const ready = whenReady(client)
    await until('it has failed to connect', () => messages().includes('redis.unreachable'))
    await own.start()
    await ready
    expect(await client.ping()).to.equal('PONG')
    await whenReady(client)
  })

  it('is unavailable by one name, whatever the failure, with its cause', async () => {
    expect(await redisAvailable(() => Promise.resolve(7))).to.equal(7)
    const cause = new Error('READONLY You can not write against a read only replica')
    const error = await failure(redisAvailable(() => Promise.reject(cause)))
    expect(error).to.be.instanceOf(Unavailable)
    expect(error.message).to.equal('Redis is not available')
    expect(error.cause).to.equal(cause)
    expect(error).to.have.property('retryAfterSeconds').that.is.greaterThan(0)
  })

  it('is not called unavailable for a mistake of ours', async () => {
    for (const mistake of [new TypeError('this.take is not a function'), new ReferenceError('redis')]) {
      expect(await failure(redisAvailable(() => Promise.reject(mistake)))).to.equal(mistake)
    }
  })

  describe('durability', () => {
    async function configure(settings: Record<string, string>): Promise<void> {
      const { client } = connect('fail-fast')
      await whenReady(client)
      for (const [name, value] of Object.entries(settings)) await client.config('SET', name, value)
    }

    async function check() {
      const { client, log, messages } = connect('fail-fast')
      await whenReady(client)
      await requireDurableRedis(client, log)
      return messages()
    }

    afterEach(async () => {
      await configure({ 'maxmemory-policy': 'noeviction', appendonly: 'yes' })
      const { client } = connect('fail-fast')
      await whenReady(client)
      // Redis does not end while it writes its first AOF.
      await until('the AOF is written', async () =>
        (await client.info('persistence')).includes('aof_rewrite_in_progress:0'),
      )
    })

    it('is enough with noeviction and AOF, and nothing is said about it', async () => {
      expect(await check()).to.deep.equal([])
    })

    for (const policy of ['allkeys-lru', 'volatile-lru', 'allkeys-random', 'volatile-ttl']) {
      it(`is refused with maxmemory-policy ${policy}, in a sentence that names the fix`, async () => {
        await configure({ 'maxmemory-policy': policy })
        const error = await failure(check())
        expect(error).to.be.instanceOf(RedisUnsafe)
        expect(error.message).to.equal(
          `Redis has maxmemory-policy ${policy} and may drop jobs. Set it to noeviction`,
        )
      })
    }

    it('is refused with appendonly no, in a sentence that names the fix', async () => {
      await configure({ appendonly: 'no' })
      const error = await failure(check())
      expect(error).to.be.instanceOf(RedisUnsafe)
      expect(error.message).to.equal(
        'Redis has appendonly no and would start empty after a crash. Set it to yes',
      )
    })

    it('is not known where INFO is closed: a warning, and the worker starts', async () => {
      const { client: admin } = connect('fail-fast')
      await whenReady(admin)
      await admin.call('ACL', 'SETUSER', 'guest', 'on', '>guest-password', '~*', '+@all', '-info')
      const { client, log, messages } = connect('fail-fast')
      await whenReady(client)
      await client.call('AUTH', 'guest', 'guest-password')
      await requireDurableRedis(client, log)
      expect(messages()).to.deep.equal(['redis.durability_unknown'])
    })
  })
})
