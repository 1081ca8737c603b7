import { Queue, Worker } from 'bullmq'
import { connectRedis } from '../src/redis.js'
import { newId } from '../src/ids.js'
import { addLine } from '../src/domain/lines.js'
import type { Line } from '../src/database/lines.js'
import { addUser } from '../src/domain/users.js'
import { stop, timed, type Bench } from './harness.js'

const JOBS = 10_000
const CONCURRENCY = 200

/** A BullMQ job that does one SQL update: the measure for `send`. In this process, as nothing else runs in it. */
export async function measurePlainJobs({ context, env }: Bench): Promise<number> {
  const connection = connectRedis(env.REDIS_URL ?? '', 'wait', context.log)
  const queue = new Queue('bench-plain', { connection })
  await context.db.raw('create table bench_plain as select generate_series(1, ?) as id, 0 as done', [JOBS])
  await context.db.raw('create unique index on bench_plain (id)')
  const jobs = Array.from({ length: JOBS }, (_, n) => ({
    name: 'job',
    data: { id: n + 1 },
    opts: { removeOnComplete: true },
  }))
  await queue.addBulk(jobs)
  let done = 0
  const worker = new Worker<{ id: number }>(
    'bench-plain',
    async (job) => {
      await context.db.raw('update bench_plain set done = 1 where id = ?', [job.data.id])
      done += 1
    },
    { connection, concurrency: CONCURRENCY },
  )
  const ms = await timed(() => Promise.resolve(done === JOBS))
  await worker.close()
  await queue.close()
  connection.disconnect()
  return (JOBS / ms) * 1000
}

/** One `send-message` process through messages that wait at the simulator, to as many numbers. */
export async function measureSend(bench: Bench): Promise<number> {
  const { db, queues } = bench.context
  const user = await addUser(bench.context, { email: 'send@example.com' })
  const lines: Line[] = []
  for (let n = 0; n < 100; n += 1) {
    lines.push(
      await addLine(bench.context, {
        userId: user.id,
        number: `+1557${String(n).padStart(7, '0')}`,
        carrier: 'simulator',
        messagesPerMinute: 100_000,
        messagesPerNumberPerMinute: 100_000,
      }),
    )
  }
  const rows = Array.from({ length: JOBS }, (_, n) => {
    const line = lines[n % lines.length]
    return {
      id: newId(),
      user_id: user.id,
      line_id: line?.id,
      direction: 'outbound',
      source: 'console',
      from_number: line?.number,
      to_number: `+1558${String(n).padStart(7, '0')}`,
      text: 'Your code is 123456',
      status: 'queued',
    }
  })
  await db.batchInsert('messages', rows, 1000)
  await queues.enqueueMessages(rows.map(({ id }) => ({ id, generation: 0 })))
  const worker = await bench.start('dist/workers/send-message.js', { SEND_CONCURRENCY: String(CONCURRENCY) })
  const ms = await timed(async () => {
    const { rows: left } = await db.raw<{ rows: unknown[] }>(
      `select 1 from messages where source = 'console' and status in ('queued', 'sending') limit 1`,
    )
    return left.length === 0
  })
  await stop(worker)
  return (JOBS / ms) * 1000
}
