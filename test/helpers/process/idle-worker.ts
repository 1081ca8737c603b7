import { Worker } from 'bullmq'
import { QUEUE_PREFIX, type QueueName } from '../../../src/queues/queues.js'
import { connectTestRedis } from '../services/redis.js'

/** Takes jobs of a queue as a process does, and there are none. The caller closes it. */
export async function startIdleWorker(name: QueueName, redisUrl: string): Promise<Worker> {
  const connection = await connectTestRedis(redisUrl, 'wait')
  const worker = new Worker(name, () => Promise.resolve(), {
    connection,
    prefix: QUEUE_PREFIX,
    drainDelay: 1,
  })
  worker.on('error', () => undefined)
  worker.on('closed', () => {
    connection.disconnect()
  })
  await worker.waitUntilReady()
  return worker
}
