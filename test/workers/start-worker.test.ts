import { expect } from 'chai'
import type { Job } from 'bullmq'
import type { Context } from '../../src/domain/context.js'
import { newId } from '../../src/ids.js'
import { withoutInfo } from '../journeys/support/guest-redis.js'
import { createInstallation } from '../journeys/support/steps.js'
import { runSource, stopProcesses, type RunningProcess } from '../helpers/process/processes.js'
import { until } from '../helpers/until.js'

describe('startWorker', () => {
  let context: Context
  let worker: RunningProcess
  let leftBehind: string

  before(async () => {
    const installation = await createInstallation({ LOG_LEVEL: 'info' })
    context = installation.context
    worker = runSource('test/workers/scripted-worker.ts', installation.environment)
    await until('the worker has started', () => worker.log().some(({ msg }) => msg === 'process.started'))
    leftBehind = await leaveBehind()
  })

  after(async () => {
    await stopProcesses()
    await context.close()
  })

  /** Adds a job whose runs go by this script. @returns its id, which is its row's */
  async function runScript(...words: string[]): Promise<string> {
    const id = newId()
    await context.redis.rpush(`script:${id}`, ...words)
    await context.queues.enqueueMessages([{ id, generation: 0 }])
    return id
  }

  /** Adds a job as if a worker had taken it and died, for the eighth time. */
  async function leaveBehind(): Promise<string> {
    const { sendMessage } = context.queues
    const id = newId()
    await context.redis.rpush(`script:${id}`, 'again:3600000')
    await sendMessage.add('send-message', { v: 1, id } as never, { jobId: id, delay: 3_600_000 })
    await context.redis
      .multi()
      .zrem(sendMessage.toKey('delayed'), id)
      .lpush(sendMessage.toKey('active'), id)
      .hset(sendMessage.toKey(id), 'stc', 7)
      .exec()
    return id
  }

  const runCount = (id: string) => context.redis.llen(`runs:${id}`)
  const crashCount = (id: string) => context.redis.llen(`crashes:${id}`)
  const findJob = (id: string) => context.queues.sendMessage.getJob(id)

  async function whenDelayed(id: string): Promise<Job> {
    return until('the job is delayed', async () => {
      const isDelayed = (await (await findJob(id))?.isDelayed()) === true
      // Read again: what was read before it was delayed does not say for how long.
      return isDelayed && (await findJob(id))
    })
  }

  const logged = (msg: string) => worker.log().filter((entry) => entry.msg === msg)

  it('a job that says TryAgainIn is delayed for so long, and no attempt is used up', async () => {
    const id = await runScript('again:10', 'again:10', 'again:10', 'again:60000')
    await until('it has run four times', async () => (await runCount(id)) === 4)
    const job = await whenDelayed(id)
    expect(job.attemptsMade).to.equal(0)
    expect(job.delay).to.be.within(55_000, 60_000)
    expect(await crashCount(id)).to.equal(0)
  })

  it('a job that says TryAgainIn runs again by itself, and is gone when it is done', async () => {
    const id = await runScript('again:100')
    await until('it has run twice', async () => (await runCount(id)) === 2)
    await until('it is gone', async () => (await findJob(id)) === undefined)
    const [first, second] = (await context.redis.lrange(`runs:${id}`, '0', '-1')).map(Number)
    expect(second! - first!).to.be.at.least(100)
  })

  for (const [what, word] of [
    ['that finds something unavailable', 'unavailable'],
    ['whose connection to Postgres is lost', 'connection-lost'],
  ] as const) {
    it(`a job ${what} pauses its worker and runs again, without a crash or an attempt`, async () => {
      const pauseCount = logged('worker.paused').length
      const id = await runScript(word, 'again:60000')
      await until('it has run twice', async () => (await runCount(id)) === 2)
      const job = await whenDelayed(id)
      expect(job.attemptsMade).to.equal(0)
      expect(await crashCount(id)).to.equal(0)
      await until('it is said once', () => logged('worker.paused').length === pauseCount + 1)
      const [first, second] = (await context.redis.lrange(`runs:${id}`, '0', '-1')).map(Number)
      expect(second! - first!).to.be.at.least(450)
    })
  }

  it('a job that fails unexpectedly counts as a crash, is logged and delayed, never failed', async () => {
    const id = await runScript('crash')
    const job = await whenDelayed(id)
    expect(job.attemptsMade).to.equal(0)
    expect(await crashCount(id)).to.equal(1)
    const said = await until('it is said', () => logged('job.crashed').at(-1))
    expect(said).to.have.nested.property('err.message', 'nobody expected this')
    expect(await context.queues.sendMessage.getFailedCount()).to.equal(0)

    await job.promote()
    await until('it is done', async () => (await findJob(id)) === undefined)
    expect(await runCount(id)).to.equal(2)
  })

  const addJob = async (data: unknown, jobId = newId()): Promise<string> => {
    await context.queues.sendMessage.add('send-message', data as never, { jobId })
    return jobId
  }

  it('a job of a later version is put off, neither run nor failed', async () => {
    const id = newId()
    for (const data of [{ v: 2, id }, { v: 3 }]) {
      const jobId = await addJob(data)
      const job = await whenDelayed(jobId)
      expect(job.attemptsMade).to.equal(0)
      expect(job.delay).to.be.within(55_000, 60_000)
      await until('it is said', () => logged('job.unknown_payload').some((entry) => entry.jobId === jobId))
    }
    expect(await runCount(id)).to.equal(0)
    expect(await context.queues.sendMessage.getFailedCount()).to.equal(0)
  })

  it('a job that takes its process with it takes only its own, and that is its crash', async () => {
    const { pid } = worker
    const id = await runScript('alone', 'die', 'again:60000')
    await until('its crash is counted', async () => (await crashCount(id)) === 1)
    expect(await runCount(id)).to.equal(2)
    expect(worker.isRunning()).to.equal(true)
    expect(worker.pid).to.equal(pid)
  })

  it('a job that is done in a process of its own is no crash', async () => {
    const id = await runScript('alone', '')
    await until('it was done alone', async () => (await runCount(id)) === 2)
    // The next test's job may run alone only then.
    await until(
      'it waits to be looked at again, or is done',
      async () => (await (await findJob(id))?.isActive()) !== true,
    )
    expect(await crashCount(id)).to.equal(0)
  })

  it('a job whose own process cannot be started, or whose crash cannot be recorded, is tried again and never lost', async () => {
    const [tooLong, unrecorded] = [newId(), newId()]
    // The system takes no argument of this length.
    await context.redis.rpush(`script:${tooLong}`, 'alone', 'again:60000')
    await addJob({ v: 1, id: tooLong, note: 'x'.repeat(200_000) }, tooLong)
    await until('it runs again', async () => (await runCount(tooLong)) === 2)

    await context.redis.set(`crashes:${unrecorded}`, 'no list')
    await context.redis.rpush(`script:${unrecorded}`, 'alone', 'die', 'again:60000')
    await addJob({ v: 1, id: unrecorded }, unrecorded)
    await until('it runs again', async () => (await runCount(unrecorded)) === 3)

    await until('both are in its log', () => logged('job.not_isolated').length === 2)
    expect(await crashCount(tooLong)).to.equal(0)
  })

  it('a job is locked for ten seconds at a time, after which a dead worker has lost it', async () => {
    const id = await runScript('lock')
    const ms = await until(
      'it has noted it',
      async () => (await context.redis.get(`lock:${id}`)) ?? undefined,
    )
    expect(Number(ms)).to.be.within(1, 10_000)
  })

  // It comes last, because it takes two of the worker's checks.
  it('a job that dead workers have left behind runs again within seconds, however often that was', async () => {
    await until('it has run', async () => (await runCount(leftBehind)) === 1)
    await whenDelayed(leftBehind)
    expect(await context.queues.sendMessage.getFailedCount()).to.equal(0)
  })

  // What else nobody can read is in test/queues/jobs.test.ts.
  for (const [what, data] of [
    ['whose id is none', { v: 1, id: 'one' }],
    ['without a version', { id: newId() }],
    ['of a version that there never was', { v: 0, id: newId() }],
    ['whose version is no number', { v: '2', id: newId() }],
    ['that is nothing', null],
  ] as const) {
    it(`a job ${what} fails for good, and is not run`, async () => {
      const jobId = await addJob(data)
      const job = await until('it has failed', async () => {
        const found = await findJob(jobId)
        return (await found?.isFailed()) === true && (await findJob(jobId))
      })
      expect(job.failedReason).to.match(/^nobody can read this job: /)
      await until('it is said', () => logged('job.unknown_payload').some((entry) => entry.jobId === jobId))
      expect(await context.redis.keys('runs:one')).to.deep.equal([])
      if (data !== null && 'id' in data) expect(await runCount(data.id)).to.equal(0)
    })
  }

  it('a row whose job nobody could read gets another one', async () => {
    const jobId = await addJob({ v: 1 })
    await until('it has failed', async () => (await (await findJob(jobId))?.isFailed()) === true)
    const coming = await context.queues.existingJobs('send-message', [{ id: jobId, generation: 0 }])
    expect([...coming]).to.deep.equal([])
  })
})

describe('startWorker with a Redis whose INFO is closed', () => {
  after(stopProcesses)

  it('runs jobs, and ends when it is told to', async () => {
    const { context, environment } = await createInstallation({ LOG_LEVEL: 'info' })
    try {
      await withoutInfo(context, async (redisUrl) => {
        const worker = runSource('test/workers/scripted-worker.ts', { ...environment, REDIS_URL: redisUrl })
        const id = newId()
        await context.redis.rpush(`script:${id}`, 'again:10')
        await context.queues.enqueueMessages([{ id, generation: 0 }])
        await until('it has run twice', async () => (await context.redis.llen(`runs:${id}`)) === 2)
        expect(worker.log().map(({ msg }) => msg)).to.include('redis.durability_unknown')
        await worker.kill('SIGTERM')
        expect(await worker.exitCode).to.equal(0)
      })
    } finally {
      await context.close()
    }
  })
})
