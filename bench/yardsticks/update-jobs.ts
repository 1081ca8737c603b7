import { Queue, Worker } from 'bullmq'
import { Redis } from 'ioredis'
import knex from 'knex'

/** This process runs BullMQ jobs that make one UPDATE each. It tells how many it runs in a second. */
const [, , redisUrl = '', databaseUrl = '', jobs = ''] = process.argv
const JOBS = Number(jobs)
/** `send-message` has as many by default. */
const CONCURRENCY = 200

process.on('disconnect', () => process.exit())
const db = knex({ client: 'pg', connection: databaseUrl, pool: { min: 0, max: 10 } })
await db.raw('drop table if exists update_jobs')
await db.raw('create table update_jobs as select generate_series(1, ?::integer) as id, 0 as done', [JOBS])
await db.raw('create unique index on update_jobs (id)')
await db.raw('analyze update_jobs')
const connection = new Redis(redisUrl, { maxRetriesPerRequest: null })
await connection.flushdb()
const queue = new Queue('update-jobs', { connection })
await queue.addBulk(
  Array.from({ length: JOBS }, (_, n) => ({
    name: 'job',
    data: { id: n + 1 },
    opts: { removeOnComplete: true },
  })),
)

let done = 0
const startedAt = performance.now()
const worker = new Worker<{ id: number }>(
  'update-jobs',
  async (job) => {
    await db.raw('update update_jobs set done = 1 where id = ?', [job.data.id])
    done += 1
    if (done === JOBS) process.send?.((JOBS / (performance.now() - startedAt)) * 1000)
  },
  { connection, concurrency: CONCURRENCY },
)
worker.on('error', () => undefined)
