import Router from '@koa/router'
import { Queue } from 'bullmq'
import { Redis } from 'ioredis'
import Koa from 'koa'
import bodyParser from 'koa-bodyparser'
import pg from 'pg'

/** This process inserts a row for each event that is posted, and adds a job: a service with this stack and no features. */
const [, , port = '', databaseUrl = '', redisUrl = ''] = process.argv

process.on('disconnect', () => process.exit())
const pool = new pg.Pool({ connectionString: databaseUrl })
await pool.query('drop table if exists plain')
await pool.query(
  'create table plain (id bigint generated always as identity primary key, body json not null, delivered_at timestamptz)',
)
const queue = new Queue('plain', { connection: new Redis(redisUrl, { maxRetriesPerRequest: null }) })
const router = new Router().post('/events', async (ctx) => {
  const { rows } = await pool.query<{ id: string }>({
    name: 'insert',
    text: 'insert into plain (body) values ($1) returning id',
    values: [JSON.stringify(ctx.request.body)],
  })
  await queue.add('job', { id: rows[0]?.id }, { removeOnComplete: true })
  ctx.body = { success: true }
})
new Koa()
  .use(bodyParser())
  .use(router.routes())
  .listen(Number(port), '127.0.0.1', () => process.send?.('ready'))
