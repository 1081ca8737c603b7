import { HttpConnection, type HttpRequest } from '../outside/http.js'
import { percentile } from '../statistics.js'

export interface HttpLoad {
  /** Only successful answers are counted. */
  perSecond: number
  successCount: number
  p50Ms: number
  p99Ms: number
  /** The number of other answers by their status; 0 stands for no answer. */
  refused: Map<number, number>
}

const CONNECTIONS = 64

/**
 * Posts as fast as it can. Each of 64 keep-alive connections posts its next request when it has the answer to the last one,
 * for so many seconds or so many requests.
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

/** @throws Error when anything was refused */
export function requireAllTaken(load: HttpLoad): HttpLoad {
  if (load.refused.size === 0) return load
  throw new Error(`refused, by status: ${JSON.stringify(Object.fromEntries(load.refused))}`)
}
