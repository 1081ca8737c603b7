import { expect } from 'chai'
import { Queue } from 'bullmq'
import { startProxy, type Proxy } from '../../chaos/proxy.js'
import { PromptWorker } from '../../workers/prompt-worker.js'
import { createTestRedis } from '../helpers/services/services.js'
import { until } from '../helpers/until.js'

const LIMIT = 60

describe('PromptWorker', () => {
  let url: string
  let queue: Queue
  let proxy: Proxy
  let worker: PromptWorker | undefined
  let end: () => void

  beforeEach(async () => {
    url = await createTestRedis()
    proxy = await startProxy(Number(new URL(url).port))
    queue = new Queue('jobs', { connection: { url } })
  })

  afterEach(async () => {
    end()
    await proxy.pass()
    await worker?.close()
    await queue.close()
    proxy.close()
  })

  /**
   * A worker for jobs that go on until `end` is called.
   *
   * @param answerMs how long Redis needs to answer the worker
   */
  async function startWith(
    jobs: number,
    answerMs: number,
    onFirst: () => Promise<unknown> = () => Promise.resolve(),
  ) {
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
    proxy.delay(answerMs / 2)
    const slow = new URL(url)
    slow.port = String(proxy.port)
    worker = new PromptWorker('jobs', run, { connection: { url: slow.href }, concurrency: LIMIT })
    return { begun: () => begun }
  }

  it('begins the first job long before a slow Redis has given it as many as it may work on', async () => {
    let waiting: number | undefined
    await startWith(LIMIT, 40, async () => {
      waiting = await queue.getWaitingCount()
    })
    await until('a job has begun', () => waiting !== undefined)
    expect(waiting).to.be.above(LIMIT / 2)
  })

  for (const answerMs of [0, 20]) {
    it(`works on as many at the same time as it may, and on no more, if Redis answers in ${answerMs} ms`, async () => {
      const { begun } = await startWith(LIMIT + 20, answerMs)
      await until('all its places are taken', () => begun() === LIMIT)
      expect(await queue.getActiveCount()).to.equal(LIMIT)
      end()
      await until('the others are done too', async () => (await queue.getCompletedCount()) === LIMIT + 20)
      expect(begun()).to.equal(LIMIT + 20)
      expect(worker?.concurrency).to.equal(LIMIT)
    })
  }
})
