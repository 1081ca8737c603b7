import { Unavailable } from '../../src/errors.js'
import { sendMessageJob } from '../../src/queues/jobs.js'
import { startWorker } from '../../workers/start-worker.js'
import { RunIsolated, TryAgainIn } from '../../workers/worker-story.js'

/**
 * A worker whose jobs do what the list `script:{id}` in Redis says, one word a run: `again:<ms>`, `unavailable`,
 * `connection-lost`, `crash`, `lock` (it notes in `lock:{id}` for how many milliseconds it is locked), `alone` (that and
 * what comes after it is to be done in a process of its own), `die`; with the list empty they are done. It notes its
 * runs in `runs:{id}` and its crashes in `crashes:{id}`.
 */
await startWorker({
  queue: 'send-message',
  payload: sendMessageJob,
  concurrency: () => 5,
  handle: async ({ db, queues, redis }, { id }) => {
    await redis.rpush(`runs:${id}`, Date.now())
    const [word, ms] = ((await redis.lpop(`script:${id}`)) ?? '').split(':')
    if (word === 'again') throw new TryAgainIn(Number(ms))
    if (word === 'unavailable') throw new Unavailable('not now')
    if (word === 'connection-lost') await db.raw('select pg_terminate_backend(pg_backend_pid())')
    if (word === 'lock')
      await redis.set(`lock:${id}`, await redis.pttl(queues.sendMessage.toKey(`${id}:lock`)))
    if (word === 'alone') throw new RunIsolated()
    if (word === 'die') process.abort()
    if (word === 'crash') throw new Error('nobody expected this')
  },
  crashed: async ({ redis }, { id }) => {
    await redis.rpush(`crashes:${id}`, Date.now())
  },
})
