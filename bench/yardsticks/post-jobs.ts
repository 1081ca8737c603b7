import { createHmac } from 'node:crypto'
import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import { Agent } from 'undici'

/** This process runs BullMQ jobs that sign and POST, and record nothing. It tells how many it runs in a second. */
const [, , redisUrl = '', url = '', jobs = ''] = process.argv
const JOBS = Number(jobs)
const CONCURRENCY = 50
const BODY = JSON.stringify({
  type: 'inboundText',
  payload: 'Hi',
  fromNumber: '+15005550199',
  toNumber: '+15005550100',
})

process.on('disconnect', () => process.exit())
const connection = new Redis(redisUrl, { maxRetriesPerRequest: null })
await connection.flushdb()
const queue = new Queue('post-jobs', { connection })
await queue.addBulk(
  Array.from({ length: JOBS }, () => ({ name: 'job', data: {}, opts: { removeOnComplete: true } })),
)
const agent = new Agent()

let done = 0
const startedAt = performance.now()
const worker = new Worker(
  'post-jobs',
  async () => {
    const signature = createHmac('sha256', 'secret').update(BODY).digest('base64')
    const headers = { signature, 'content-type': 'application/json' }
    const response = await agent.request({ origin: url, path: '/', method: 'POST', body: BODY, headers })
    await response.body.dump()
    done += 1
    if (done === JOBS) process.send?.((JOBS / (performance.now() - startedAt)) * 1000)
  },
  { connection, concurrency: CONCURRENCY },
)
worker.on('error', () => undefined)
