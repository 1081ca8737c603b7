import type { IncomingMessage, ServerResponse } from 'node:http'
import { turnedAway } from '../../telemetry/metrics.js'

const RETRY_AFTER_SECONDS = 2
const DETAIL = 'Service is temporarily unavailable'
const PROBLEM = { type: 'about:blank', title: 'Service Unavailable', status: 503, detail: DETAIL }

/** The form that callers of a path can read, by the path's prefix. */
const ANSWERS = [
  answerOf('/webhooks/', 'application/json', { success: false, error: DETAIL }),
  answerOf('', 'application/problem+json', PROBLEM),
]

/** A load balancer must not mistake a busy process for a dead one, because the others would then have more to do. */
export function isHealthCheck({ url = '' }: IncomingMessage): boolean {
  return url === '/healthz' || url === '/readyz'
}

/** Returns 503 before anything is done. This has to cost next to nothing, because it is meant for overload. */
export function refuseOverload({ url = '' }: IncomingMessage, response: ServerResponse): void {
  turnedAway.inc()
  const answer = ANSWERS.find(({ start }) => url.startsWith(start))
  response.writeHead(503, answer?.headers).end(answer?.body)
}

function answerOf(start: string, type: string, content: object) {
  const body = Buffer.from(JSON.stringify(content))
  const headers = {
    'Content-Type': type,
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'Retry-After': RETRY_AFTER_SECONDS,
  }
  return { start, headers, body }
}
