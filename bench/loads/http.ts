import { HttpConnection, type HttpRequest } from '../outside/http.js'
import { percentile } from '../statistics.js'

export interface HttpLoad {
  /** Of answers with success only. */
  perSecond: number
  successCount: number
  p50Ms: number
  p99Ms: number
  /** How many were answered otherwise, by status; 0: no answer. */
  refused: Map<number, number>
}

const CONNECTIONS = 64

/**
 * As much as goes: each of 64 keep-alive connections posts the next request when it has its answer, for so many seconds
 * or so many requests.
 */
export async function pushHttp(
  url: string,
  next: () => HttpRequest,
  until: { seconds: number } | { count: number },
): Promise<HttpLoad> {
  const times: number[] = []
  const refused = new Map<number, number>()
  const startedAt = performance.now()
  const endsAt = 'seconds' in until ? startedAt + until.seconds * 1000 : Infinity
  const limit = 'count' in until ? until.count : Infinity
  let count = 0
  const run = async () => {
    const connection = new HttpConnection(url)
    while (count < limit && performance.now() < endsAt) {
      count += 1
      const request = next()
      const postedAt = performance.now()
      const status = await connection.post(request)
      if (status >= 200 && status <= 299) times.push(performance.now() - postedAt)
      else refused.set(status, (refused.get(status) ?? 0) + 1)
    }
    connection.close()
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, run))
  const seconds = (performance.now() - startedAt) / 1000
  return {
    perSecond: times.length / seconds,
    successCount: times.length,
    p50Ms: percentile(times, 0.5),
    p99Ms: percentile(times, 0.99),
    refused,
  }
}

/** Nothing at all may be refused. @throws Error */
export function requireAllTaken(load: HttpLoad): HttpLoad {
  if (load.refused.size === 0) return load
  throw new Error(`refused, by status: ${JSON.stringify(Object.fromEntries(load.refused))}`)
}
