import { expect } from 'chai'
import type { Redis } from 'ioredis'
import { newId } from '../../src/ids.js'
import { addJobs } from '../../src/queues/add-jobs.js'
import { createQueues, QUEUE_PREFIX, type Queues } from '../../src/queues/queues.js'
import { memoryLog } from '../helpers/process/log.js'
import { connectTestRedis } from '../helpers/services/redis.js'
import { createTestRedis } from '../helpers/services/services.js'

const KEY = `${QUEUE_PREFIX}:send-message`

describe('jobs that are added together', () => {
  let redis: Redis
  let queues: Queues

  before(async () => {
    redis = await connectTestRedis(await createTestRedis())
    queues = createQueues(redis, memoryLog().log)
  })
  beforeEach(() => redis.flushdb())
  after(async () => {
    await queues.close()
    redis.disconnect()
  })

  type Add = (ids: readonly string[]) => Promise<unknown>
  const togetherWith =
    (more: { removeOnFail?: boolean }): Add =>
    (ids) =>
      addJobs(
        redis,
        queues.sendMessage,
        ids.map((id) => ({ id, data: { v: 1, id } })),
        more,
      )
  const byBullMqWith =
    (more: { removeOnFail?: boolean }): Add =>
    (ids) =>
      queues.sendMessage.addBulk(
        ids.map((id) => ({ name: 'send-message', data: { v: 1, id }, opts: { jobId: id, ...more } })),
      )
  const together = togetherWith({})
  const byBullMq = byBullMqWith({})

  /** All that they leave in Redis, but for the time. */
  async function leftBy(add: Add, ids: readonly string[]): Promise<unknown> {
    await redis.flushdb()
    await add(ids)
    const jobs = await Promise.all(
      ids.map(async (id) => {
        const { timestamp, opts = '', ...fields } = await redis.hgetall(`${KEY}:${id}`)
        expect(Number(timestamp)).to.be.closeTo(Date.now(), 10_000)
        return { ...fields, opts: JSON.parse(opts) as unknown }
      }),
    )
    const events = await redis.xrange(`${KEY}:events`, '-', '+')
    return {
      jobs,
      keys: (await redis.keys('*')).sort(),
      waiting: await redis.lrange(`${KEY}:wait`, 0, -1),
      events: events.map(([, fields]) => fields),
      marker: await redis.zrange(`${KEY}:marker`, '0', '-1', 'WITHSCORES'),
      count: await redis.get(`${KEY}:id`),
    }
  }

  it('are to Redis what BullMQ would have added, one after the other', async () => {
    const ids = Array.from({ length: 3 }, () => newId())
    expect(await leftBy(together, ids)).to.deep.equal(await leftBy(byBullMq, ids))
  })

  it('are so with options of their own', async () => {
    const ids = Array.from({ length: 3 }, () => newId())
    const more = { removeOnFail: true }
    const left = await leftBy(togetherWith(more), ids)
    expect(left).to.have.nested.property('jobs[0].opts.removeOnFail', true)
    expect(left).to.deep.equal(await leftBy(byBullMqWith(more), ids))
  })

  it('are there once, though some are there already', async () => {
    const ids = Array.from({ length: 3 }, () => newId())
    const add = (addThem: Add): Add => {
      return async () => {
        await addThem(ids.slice(1, 2))
        await addThem([...ids, ids[0]!])
      }
    }
    expect(await leftBy(add(together), ids)).to.deep.equal(await leftBy(add(byBullMq), ids))
  })

  it('wait in their order, however many they are', async () => {
    const ids = Array.from({ length: 450 }, () => newId())
    await together(ids)
    expect((await queues.sendMessage.getWaiting(0, -1)).map(({ id }) => id)).to.deep.equal(ids)
  })

  it('are one call of Redis', async () => {
    await together([newId()])
    const send = redis.sendCommand.bind(redis)
    const asked: string[] = []
    redis.sendCommand = (command, stream) => {
      asked.push(command.name)
      return send(command, stream)
    }
    try {
      await together(Array.from({ length: 100 }, () => newId()))
    } finally {
      redis.sendCommand = send
    }
    expect(asked).to.deep.equal(['evalsha'])
  })
})
