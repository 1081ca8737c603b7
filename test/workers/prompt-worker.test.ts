import { expect } from 'chai'
import { Queue } from 'bullmq'
import { PromptWorker } from '../../workers/prompt-worker.js'
import { createTestRedis } from '../helpers/services/services.js'
import { until } from '../helpers/until.js'

const LIMIT = 200

describe('PromptWorker', () => {
  let connection: { url: string }
  let queue: Queue
  let worker: PromptWorker | undefined
  let end: () => void

  beforeEach(async () => {
    connection = { url: await createTestRedis() }
    queue = new Queue('jobs', { connection })
  })

  afterEach(async () => {
    end()
    await worker?.close()
    await queue.close()
  })

  /** Jobs that go on until `end` is called. `begun` counts them. */
  async function startWith(jobs: number, onFirst: () => Promise<unknown>): Promise<{ begun: () => number }> {
    let begun = 0
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    await queue.addBulk(Array.from({ length: jobs }, () => ({ name: 'job', data: {} })))
    const run = async () => {
      begun += 1
      if (begun === 1) await onFirst()
      await ended
    }
    worker = new PromptWorker('jobs', run, { connection, concurrency: LIMIT })
    return { begun: () => begun }
  }

  it('begins the first job long before it has taken as many as it may work on', async () => {
    let takenByThen: number | undefined
    const { begun } = await startWith(LIMIT, async () => {
      takenByThen = LIMIT - (await queue.getWaitingCount())
    })
    await until('a job has begun', () => begun() > 0 && takenByThen !== undefined)
    expect(takenByThen).to.be.below(LIMIT / 2)
  })

  it('works on as many at the same time as it may, and on no more', async () => {
    const { begun } = await startWith(LIMIT + 50, () => Promise.resolve())
    await until('all its places are taken', () => begun() === LIMIT)
    expect(await queue.getActiveCount()).to.equal(LIMIT)
    end()
    await until('the others are done too', async () => (await queue.getCompletedCount()) === LIMIT + 50)
    expect(begun()).to.equal(LIMIT + 50)
  })

  it('takes few at a time again after it had many', async () => {
    const { begun } = await startWith(LIMIT, () => Promise.resolve())
    await until('all its places are taken', () => begun() === LIMIT)
    end()
    await until('all are done', async () => (await queue.getCompletedCount()) === LIMIT)
    expect(worker?.concurrency).to.be.below(LIMIT / 2)
  })
})
