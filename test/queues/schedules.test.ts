import { expect } from 'chai'
import { Worker } from 'bullmq'
import type { Redis } from 'ioredis'
import { maintenanceJob } from '../../src/queues/jobs.js'
import { createQueues, QUEUE_PREFIX, type Queues } from '../../src/queues/queues.js'
import { scheduleMaintenance } from '../../src/queues/schedules.js'
import { memoryLog } from '../helpers/log.js'
import { connectTestRedis } from '../helpers/redis.js'
import { createTestRedis } from '../helpers/services.js'

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

  it('make housekeeping due at once, and every hour, with a job that its worker takes', async () => {
    await scheduleMaintenance(queues)
    const schedulers = await queues.maintenance.getJobSchedulers()
    expect(schedulers).to.have.length(1)
    expect(schedulers[0]).to.include({ key: 'keep-house', every: 3_600_000 })
    const jobs = await queues.maintenance.getJobs(['waiting', 'delayed'])
    expect(jobs).to.have.length(1)
    expect(maintenanceJob(jobs[0]?.data)).to.deep.equal({ v: 1 })
  })

  it('are made once, however often and by however many processes', async () => {
    await Promise.all(Array.from({ length: 5 }, () => scheduleMaintenance(queues)))
    await scheduleMaintenance(queues)
    expect(await queues.maintenance.getJobSchedulers()).to.have.length(1)
    expect(await queues.maintenance.getJobs(['waiting', 'delayed'])).to.have.length(1)
  })

  it('are left alone where they are: a job that has run does not come again before its hour', async () => {
    const connection = await connectTestRedis(url, 'wait')
    const worker = new Worker('maintenance', null, { connection, prefix: QUEUE_PREFIX })
    try {
      const job = await worker.getNextJob('token')
      await job.moveToCompleted(undefined, 'token', false)
      const [next] = await queues.maintenance.getDelayed()
      expect(next?.delay).to.be.greaterThan(0)
      await scheduleMaintenance(queues)
      expect(await queues.maintenance.getWaiting()).to.have.length(0)
      expect((await queues.maintenance.getDelayed()).map(({ id }) => id)).to.deep.equal([next?.id])
    } finally {
      await worker.close()
      connection.disconnect()
    }
  })

  it('are made again when Redis has lost them', async () => {
    await redis.flushdb()
    expect(await queues.maintenance.getJobSchedulers()).to.have.length(0)
    await scheduleMaintenance(queues)
    expect(await queues.maintenance.getJobSchedulers()).to.have.length(1)
  })
})
