import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Arrival {
  /** The time by performance.now(). */
  at: number
  path: string
  /** The header webhook-id, which is the same for a repeat. */
  id: string
}

/** A developer's server. It is in this process, so that sending and arriving are timed by one clock. */
export interface Receiver {
  url: string
  arrivals: Arrival[]
  /** When the event with this text came for the first time. */
  arrivedAt(text: string): number | undefined
  close(): void
}

/** It answers after as many ms as the path names, such as `/wait/100/any`, or at once if the path names none. */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = []
  const firstAt = new Map<string, number>()
  const server = createServer((request, response) => {
    // Carriers are asked what they have received, and one of them may be said to be here.
    if (request.method !== 'POST') {
      response.writeHead(404).end()
      return
    }
    const path = request.url ?? ''
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const at = performance.now()
      arrivals.push({ at, path, id: String(request.headers['webhook-id']) })
      const { payload } = JSON.parse(body) as { payload: string }
      if (!firstAt.has(payload)) firstAt.set(payload, at)
      const waitMs = Number(/^\/wait\/(\d+)/.exec(path)?.[1] ?? 0)
      if (waitMs === 0) response.end('ok')
      else setTimeout(() => response.end('ok'), waitMs)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    arrivedAt: (text) => firstAt.get(text),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
