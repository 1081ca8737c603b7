import { expect } from 'chai'
import { Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import { nextRetryMs } from '../../src/domain/endpoints/deliveries/retry-schedule.js'
import { Unavailable } from '../../src/errors.js'
import { newId } from '../../src/ids.js'
import { deliverEventJob } from '../../src/queues/jobs.js'
import { createQueues, QUEUE_PREFIX, wakingMoment, type Queues } from '../../src/queues/queues.js'
import { connectRedis } from '../../src/kit/redis/redis.js'
import { failure } from '../helpers/failure.js'
import { risesOf } from '../helpers/metrics.js'
import { memoryLog } from '../helpers/process/log.js'
import { connectTestRedis, startOwnRedis, type OwnRedis } from '../helpers/services/redis.js'
import { createTestRedis } from '../helpers/services/services.js'
import { until } from '../helpers/until.js'

describe('queues', () => {
  let url: string
  let redis: Redis
  let queues: Queues

  before(async () => {
    url = await createTestRedis()
    redis = await connectTestRedis(url)
    queues = createQueues(redis, memoryLog().log)
  })

  afterEach(() => redis.flushdb())

  after(async () => {
    await queues.close()
    redis.disconnect()
  })

  it('pass a lane on while the job that it was worked by is not over', async () => {
    const lane = { id: newId(), endpointId: newId() }
    await queues.wakeLanes([lane])
    const connection = await connectTestRedis(url, 'wait')
    const worker = new Worker('deliver-event', null, { connection, prefix: QUEUE_PREFIX })
    try {
      const job = await worker.getNextJob('token')
      await queues.passLanesOn([lane])
      await job.moveToCompleted(undefined, 'token', false)
      const left = await queues.deliverEvent.getWaiting()
      expect(left.map(({ data }) => data)).to.deep.equal([{ v: 1, ...lane }])
    } finally {
      await worker.close()
      connection.disconnect()
    }
  })

  it('wake a lane in time for a wait of any length, and at few moments for many that wait for long', () => {
    const now = Date.now()
    for (const waitMs of [0, 5000, 19_999, 20_000, 80_000, 320_001, 5_120_000, 86_400_000]) {
      const late = wakingMoment(now, waitMs) - now - waitMs
      if (waitMs < 20_000) expect(late, `${waitMs} ms`).to.be.within(0, 100)
      else expect(late, `${waitMs} ms`).to.be.within(-waitMs / 100, 0)
    }
    const waits = Array.from(
      { length: 4000 },
      (_, n) => nextRetryMs(6 + (n % 4), 5000, undefined, n / 4000) ?? 0,
    )
    expect(new Set(waits.map((ms) => wakingMoment(now, ms))))
      .to.have.property('size')
      .within(100, 300)
  })

  it('keep one job of a lane for all that wait for the same moment', async () => {
    const lane = { id: newId(), endpointId: newId() }
    // Some of them may be at the next moment already.
    await Promise.all(Array.from({ length: 20 }, () => queues.wakeLaneIn(3_600_000, lane)))
    expect(await queues.deliverEvent.getDelayedCount()).to.be.within(1, 2)
  })

  it('have one job of a row, and its id is that of the row', async () => {
    const [id, eventId, endpointId] = [newId(), newId(), newId()]
    await queues.enqueueMessages([{ id, generation: 0 }])
    await queues.enqueueDeliveries([{ id: eventId, endpointId, generation: 0 }])
    expect(await queues.sendMessage.getWaiting()).to.have.length(1)
    expect((await queues.sendMessage.getJob(id))?.id).to.equal(id)
    expect((await queues.deliverEvent.getJob(eventId))?.id).to.equal(eventId)
  })

  it('have one job of a row that is enqueued twice, at once or later', async () => {
    const row = { id: newId(), generation: 0 }
    await queues.enqueueMessages([row, row])
    await Promise.all([queues.enqueueMessages([row]), queues.enqueueMessages([row])])
    expect(await queues.sendMessage.getJobCountByTypes('waiting', 'delayed', 'active')).to.equal(1)
  })

  it('have another job of a row for a later generation', async () => {
    const id = newId()
    for (const generation of [0, 1, 2, 1]) await queues.enqueueMessages([{ id, generation }])
    const ids = (await queues.sendMessage.getWaiting()).map((job) => job.id)
    expect(ids).to.have.members([id, `${id}-g1`, `${id}-g2`])
  })

  it('carry ids and a version, never content', async () => {
    const [id, endpointId] = [newId(), newId()]
    // Rows come from the database with more than is asked for.
    const row = { id, endpointId, generation: 0, text: 'Hello', toNumber: '+15005550199' }
    await queues.enqueueMessages([row])
    await queues.enqueueDeliveries([row])
    expect((await queues.sendMessage.getJob(id))?.data).to.deep.equal({ v: 1, id })
    const delivery = await queues.deliverEvent.getJob(id)
    expect(delivery?.data).to.deep.equal({ v: 1, id, endpointId })
    expect(deliverEventJob(delivery?.data)).to.deep.equal({ v: 1, id, endpointId })
    expect(await everythingIn(redis)).not.to.match(/Hello|5005550199/)
  })

  it('count the jobs that are not enqueued while Redis is away, and cannot say which there are', async () => {
    const away = await connectTestRedis(url)
    const queuesAway = createQueues(away, memoryLog().log)
    try {
      away.disconnect()
      await until('the connection is closed', () => away.status === 'end')
      const rows = [newId(), newId()].map((id) => ({ id, generation: 0 }))
      const counted = [['linehook_jobs_not_enqueued_total', { queue: 'send-message' }]] as const
      expect(await risesOf(counted, () => queuesAway.enqueueMessages(rows))).to.deep.equal([2])
      expect(await failure(queuesAway.existingJobs('send-message', rows))).to.be.instanceOf(Unavailable)
    } finally {
      await queuesAway.close()
    }
  })

  it('hand out jobs in the order of enqueuing', async () => {
    const ids = Array.from({ length: 20 }, () => newId())
    await queues.enqueueMessages(ids.slice(0, 10).map((id) => ({ id, generation: 0 })))
    await queues.enqueueMessages(ids.slice(10).map((id) => ({ id, generation: 0 })))
    expect((await queues.sendMessage.getWaiting()).map((job) => job.id)).to.deep.equal(ids)
  })

  it('ask nothing of Redis for no rows', async () => {
    await queues.enqueueMessages([])
    await queues.enqueueDeliveries([])
    expect(await redis.dbsize()).to.equal(0)
  })

  describe('know which rows have a job', () => {
    it('waiting, delayed or being worked on, and of that generation', async () => {
      const connection = await connectTestRedis(url, 'wait')
      const worker = new Worker('send-message', null, { connection, prefix: QUEUE_PREFIX })
      try {
        const [active, waiting, delayed, missing, later] = Array.from({ length: 5 }, () => newId()) as [
          string,
          string,
          string,
          string,
          string,
        ]
        await queues.enqueueMessages([{ id: active, generation: 0 }])
        const job = await worker.getNextJob('token')
        expect(job.id).to.equal(active)
        await queues.enqueueMessages([
          { id: waiting, generation: 0 },
          { id: later, generation: 2 },
        ])
        await queues.sendMessage.add('send-message', { v: 1, id: delayed }, { jobId: delayed, delay: 60_000 })

        const rows = [active, waiting, delayed, missing, later].map((id) => ({ id, generation: 0 }))
        expect([...(await queues.existingJobs('send-message', rows))]).to.have.members([
          active,
          waiting,
          delayed,
        ])
        const generations = [
          { id: later, generation: 2 },
          { id: waiting, generation: 1 },
        ]
        expect([...(await queues.existingJobs('send-message', generations))]).to.deep.equal([later])
        expect((await queues.existingJobs('deliver-event', rows)).size).to.equal(0)
        await job.moveToCompleted(undefined, 'token', false)
        expect([...(await queues.existingJobs('send-message', rows))]).to.have.members([waiting, delayed])
      } finally {
        await worker.close()
        connection.disconnect()
      }
    })

    it('of none', async () => {
      expect((await queues.existingJobs('send-message', [])).size).to.equal(0)
    })
  })

  describe('without Redis', () => {
    let own: OwnRedis
    let client: Redis

    beforeEach(async () => {
      own = await startOwnRedis()
      client = await connectTestRedis(own.url)
    })

    afterEach(async () => {
      client.disconnect()
      await own.remove()
    })

    it('take no job and fail no caller, at once; and take jobs again when it is back', async () => {
      const { log, lines } = memoryLog()
      const unreachable = createQueues(client, log)
      await own.stop()
      await until('the connection is seen to be lost', () => client.status !== 'ready')
      const [id, endpointId] = [newId(), newId()]
      const startedAt = performance.now()
      for (let nth = 0; nth < 20; nth += 1) {
        await unreachable.enqueueMessages([{ id, generation: 0 }])
        await unreachable.enqueueDeliveries([{ id, endpointId, generation: 0 }])
      }
      // Were each to wait for its command's time, it would be more than a minute.
      expect(performance.now() - startedAt).to.be.lessThan(10_000)
      expect(lines, 'the connection has said that it is down').to.deep.equal([])
      await failure(unreachable.existingJobs('send-message', [{ id, generation: 0 }]))

      await own.start()
      await until('the queue takes jobs again', async () => {
        await unreachable.enqueueMessages([{ id, generation: 0 }])
        return (await unreachable.existingJobs('send-message', [{ id, generation: 0 }])).has(id)
      })
      expect(await unreachable.sendMessage.getWaiting(), 'nothing was held back in memory').to.have.length(1)
      await unreachable.close()
    })

    it('can be made before Redis is there', async () => {
      await own.stop()
      const connecting = connectRedis(own.url, 'fail-fast', memoryLog().log)
      const early = createQueues(connecting, memoryLog().log)
      const row = { id: newId(), generation: 0 }
      await early.enqueueMessages([row])
      await own.start()
      await until('the queue takes jobs', async () => {
        await early.enqueueMessages([row])
        return (await early.existingJobs('send-message', [row])).has(row.id)
      })
      await early.close()
      connecting.disconnect()
    })

    it('do not wait long for a Redis that hangs, and say so in the log', async () => {
      const { log, lines } = memoryLog()
      const hanging = createQueues(client, log)
      await hanging.enqueueMessages([{ id: newId(), generation: 0 }])
      own.hang()
      try {
        const startedAt = performance.now()
        await hanging.enqueueMessages([
          { id: newId(), generation: 0 },
          { id: newId(), generation: 0 },
        ])
        expect(performance.now() - startedAt).to.be.lessThan(10_000)
        expect(lines).to.have.length(1)
        expect(lines[0]).to.include({ msg: 'queue.enqueue_failed', queue: 'send-message', count: 2 })
      } finally {
        own.wake()
      }
      await hanging.close()
    })

    it('close', async () => {
      const closing = createQueues(client, memoryLog().log)
      await own.stop()
      await closing.close()
    })
  })
})

/** All that a database of Redis holds, as one text. */
async function everythingIn(redis: Redis): Promise<string> {
  const dumps = await Promise.all((await redis.keys('*')).map(async (key) => [key, await read(redis, key)]))
  return JSON.stringify(dumps)
}

async function read(redis: Redis, key: string): Promise<unknown> {
  switch (await redis.type(key)) {
    case 'hash':
      return redis.hgetall(key)
    case 'list':
      return redis.lrange(key, 0, -1)
    case 'zset':
      return redis.zrange(key, '0', '-1')
    case 'stream':
      return redis.xrange(key, '-', '+')
    default:
      return redis.get(key)
  }
}
