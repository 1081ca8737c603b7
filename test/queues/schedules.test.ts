import { expect } from 'chai'
import { Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import { maintenanceJob } from '../../src/queues/jobs.js'
import { createQueues, QUEUE_PREFIX, type Queues } from '../../src/queues/queues.js'
import { scheduleMaintenance } from '../../src/queues/schedules.js'
import { memoryLog } from '../helpers/process/log.js'
import { connectTestRedis } from '../helpers/services/redis.js'
import { createTestRedis } from '../helpers/services/services.js'

describe('schedules', () => {
  let url: string
  let redis: Redis
  let queues: Queues

  before(async () => {
    url = await createTestRedis()
    redis = await connectTestRedis(url)
    queues = createQueues(redis, memoryLog().log)
  })

  after(async () => {
    await queues.close()
    redis.disconnect()
  })

  const schedulers = async () => {
    const found = await queues.maintenance.getJobSchedulers()
    return Object.fromEntries(found.map(({ key, every }) => [key, every]))
  }
  const ALL = { 'keep-house': 3_600_000, retention: 86_400_000 }

  it('make housekeeping due at once and every hour, and retention every day, with jobs that their worker takes', async () => {
    await scheduleMaintenance(queues)
    expect(await schedulers()).to.deep.equal(ALL)
    const jobs = await queues.maintenance.getJobs(['waiting', 'delayed'])
    expect(jobs.map(({ data }) => maintenanceJob(data))).to.have.deep.members([
      { v: 1 },
      { v: 1, task: 'retention' },
    ])
  })

  it('are made once, however often and by however many processes', async () => {
    await Promise.all(Array.from({ length: 5 }, () => scheduleMaintenance(queues)))
    await scheduleMaintenance(queues)
    expect(await schedulers()).to.deep.equal(ALL)
    expect(await queues.maintenance.getJobs(['waiting', 'delayed'])).to.have.length(2)
  })

  it('are left alone where they are: a job that has run does not come again before its hour', async () => {
    const connection = await connectTestRedis(url, 'wait')
    const worker = new Worker('maintenance', null, { connection, prefix: QUEUE_PREFIX })
    try {
      for (let n = 0; n < Object.keys(ALL).length; n += 1) {
        const job = await worker.getNextJob('token')
        await job.moveToCompleted(undefined, 'token', false)
      }
      const next = await queues.maintenance.getDelayed()
      for (const { delay } of next) expect(delay).to.be.greaterThan(0)
      await scheduleMaintenance(queues)
      expect(await queues.maintenance.getWaiting()).to.have.length(0)
      const ids = (jobs: typeof next) => jobs.map(({ id }) => id)
      expect(ids(await queues.maintenance.getDelayed())).to.deep.equal(ids(next))
    } finally {
      await worker.close()
      connection.disconnect()
    }
  })

  it('are made again when Redis has lost them', async () => {
    await redis.flushdb()
    expect(await schedulers()).to.deep.equal({})
    await scheduleMaintenance(queues)
    expect(await schedulers()).to.deep.equal(ALL)
  })
})
