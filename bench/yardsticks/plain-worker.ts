import { createHmac } from 'node:crypto'
import { Worker } from 'bullmq'
import { Redis } from 'ioredis'
import pg from 'pg'
import { Agent } from 'undici'

/** This process delivers the events of `plain-web.ts`: it reads a row, signs and POSTs it, and updates the row. */
const [, , url = '', databaseUrl = '', redisUrl = ''] = process.argv
const CONCURRENCY = 50

process.on('disconnect', () => process.exit())
const pool = new pg.Pool({ connectionString: databaseUrl })
const agent = new Agent()
const worker = new Worker<{ id: string }>(
  'plain',
  async ({ data: { id } }) => {
    const { rows } = await pool.query<{ body: string }>({
      name: 'read',
      text: 'select body::text from plain where id = $1',
      values: [id],
    })
    const body = rows[0]?.body ?? ''
    const signature = createHmac('sha256', 'secret').update(body).digest('base64')
    const headers = { signature, 'webhook-id': id, 'content-type': 'application/json' }
    const response = await agent.request({ origin: url, path: '/', method: 'POST', body, headers })
    await response.body.dump()
    await pool.query({
      name: 'settle',
      text: 'update plain set delivered_at = now() where id = $1',
      values: [id],
    })
  },
  { connection: new Redis(redisUrl, { maxRetriesPerRequest: null }), concurrency: CONCURRENCY },
)
worker.on('error', () => undefined)
await worker.waitUntilReady()
process.send?.('ready')
