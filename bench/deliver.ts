import { createHmac } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Queue, Worker } from 'bullmq'
import { Agent } from 'undici'
import { enableConnection, findDeveloperConnection, setOutgoingUrl } from '../src/domain/connections.js'
import { addLine } from '../src/domain/lines.js'
import { addUser } from '../src/domain/users.js'
import { newId } from '../src/ids.js'
import { connectRedis } from '../src/redis.js'
import { stop, timed, type Bench } from './harness.js'

const JOBS = 10_000
const BODY = JSON.stringify({
  type: 'inboundText',
  payload: 'Hi',
  fromNumber: '+15005550199',
  toNumber: '+15005550100',
})

/** A BullMQ job that signs and POSTs with undici, and records nothing: the measure for `deliver`. */
export async function measurePlainPosts({ context, env }: Bench): Promise<number> {
  const { server, url } = await startSink()
  const connection = connectRedis(env.REDIS_URL ?? '', 'wait', context.log)
  const queue = new Queue('bench-post', { connection })
  await queue.addBulk(
    Array.from({ length: JOBS }, () => ({ name: 'job', data: {}, opts: { removeOnComplete: true } })),
  )
  const agent = new Agent()
  let done = 0
  const worker = new Worker(
    'bench-post',
    async () => {
      const signature = createHmac('sha256', 'secret').update(BODY).digest('base64')
      const response = await agent.request({
        origin: url,
        path: '/',
        method: 'POST',
        body: BODY,
        headers: { signature },
      })
      await response.body.dump()
      done += 1
    },
    { connection, concurrency: 50 },
  )
  const ms = await timed(() => Promise.resolve(done === JOBS))
  await worker.close()
  await queue.close()
  await agent.close()
  connection.disconnect()
  server.close()
  return (JOBS / ms) * 1000
}

/** One `deliver-event` process through waiting deliveries of 20 endpoints, each attempt recorded. */
export async function measureDeliver(bench: Bench): Promise<number> {
  const { context } = bench
  const { server, url } = await startSink()
  const user = await addUser(context, { email: 'deliver@example.com' })
  const endpoints: { lineId: string; endpointId: string }[] = []
  for (let n = 0; n < 20; n += 1) {
    const line = await addLine(context, {
      userId: user.id,
      number: `+1559${String(n).padStart(7, '0')}`,
      carrier: 'simulator',
    })
    await enableConnection(context, user.id, line.id)
    await setOutgoingUrl(context, user.id, line.id, `${url}/${n}`)
    const endpointId = (await findDeveloperConnection(context, user.id, line.id))?.endpointId
    if (endpointId != null) endpoints.push({ lineId: line.id, endpointId })
  }
  const deliveries = await insertDeliveries(bench, user.id, endpoints)
  await context.queues.enqueueDeliveries(deliveries)
  const worker = await bench.start('dist/workers/deliver-event.js', { ENDPOINT_MAX_IN_FLIGHT: '1000' })
  const ms = await timed(async () => {
    return (
      (await context.db('deliveries').whereIn('status', ['pending', 'delivering']).first('id')) === undefined
    )
  })
  await stop(worker)
  server.close()
  return (JOBS / ms) * 1000
}

async function insertDeliveries(
  { context }: Bench,
  userId: string,
  endpoints: { lineId: string; endpointId: string }[],
) {
  const events: Record<string, unknown>[] = []
  const deliveries: { id: string; endpointId: string; generation: number; row: Record<string, unknown> }[] =
    []
  for (let n = 0; n < JOBS; n += 1) {
    const endpoint = endpoints[n % endpoints.length]
    if (endpoint === undefined) continue
    const { lineId, endpointId } = endpoint
    const [id, eventId] = [newId(), newId()]
    const both = {
      user_id: userId,
      line_id: lineId,
      type: 'inboundText',
      from_number: '+15005550199',
    }
    events.push({ id: eventId, ...both, payload: 'Hi', to_number: '+15005550100' })
    const row = { id, ...both, event_id: eventId, endpoint_id: endpointId, status: 'pending' }
    deliveries.push({ id, endpointId, generation: 0, row })
  }
  await context.db.batchInsert('events', events, 1000)
  await context.db.batchInsert(
    'deliveries',
    deliveries.map(({ row }) => row),
    1000,
  )
  return deliveries
}

async function startSink(): Promise<{ server: Server; url: string }> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.end('ok'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
