import { fork } from 'node:child_process'
import { once } from 'node:events'
import autocannon from 'autocannon'
import { freePort } from '../dev/free-port.js'
import { enableConnection } from '../src/domain/connections.js'
import { createIncomingWebhook } from '../src/domain/incoming-webhooks.js'
import { addLine } from '../src/domain/lines.js'
import { addUser } from '../src/domain/users.js'
import { stop, type Bench } from './harness.js'

const LINES = 4000
const SECONDS = 8
const CONNECTIONS = 64

export interface Rate {
  perSecond: number
  p99Ms: number
}

/** Koa, its router and its body parser, JSON in and JSON out, in a process of its own: the measure for `accept`. */
export async function measureBareKoa(): Promise<Rate> {
  const port = await freePort()
  const child = fork(new URL('./bare-koa.ts', import.meta.url), [String(port)])
  await once(child, 'message')
  try {
    return await load(`http://127.0.0.1:${port}`, [request('/webhooks/lineId/1?token=2', 0)])
  } finally {
    await stop(child)
  }
}

/** The incoming webhook with every check, durable before the 200; many lines, so that all stay below their limits. */
export async function measureAccept(bench: Bench): Promise<Rate> {
  const user = await addUser(bench.context, { email: 'bench@example.com' })
  const paths: string[] = []
  for (let n = 0; n < LINES; n += 1) {
    const { id } = await addLine(bench.context, {
      userId: user.id,
      number: `+1555${String(n).padStart(7, '0')}`,
      carrier: 'simulator',
    })
    await enableConnection(bench.context, user.id, id)
    const { url } = await createIncomingWebhook(bench.context, user.id, id)
    const { pathname, search } = new URL(url)
    paths.push(pathname + search)
  }
  let count = 0
  const requests: autocannon.Request[] = [
    {
      setupRequest: (given) => {
        count += 1
        return { ...given, ...request(paths[count % LINES] ?? '', Math.floor(count / LINES)) }
      },
    },
  ]
  const port = await freePort()
  const web = await bench.start('dist/src/server.js', { PORT: String(port) })
  try {
    await load(`http://127.0.0.1:${port}`, requests, 2)
    return await load(`http://127.0.0.1:${port}`, requests)
  } finally {
    await stop(web)
  }
}

function request(path: string, n: number): autocannon.Request {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      intent: 'message',
      data: { toNumber: `+1556${String(n).padStart(7, '0')}`, text: 'Your code is 123456' },
    }),
  }
}

async function load(url: string, requests: autocannon.Request[], duration = SECONDS): Promise<Rate> {
  const result = await autocannon({ url, connections: CONNECTIONS, duration, requests })
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} refused, ${result.errors} errors`)
  return { perSecond: result.requests.average, p99Ms: result.latency.p99 }
}
