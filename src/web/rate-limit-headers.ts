import type { Context as KoaContext } from 'koa'
import type { Allowance } from '../database/messages/queueing.js'

const WINDOW_SECONDS = 60

/**
 * `RateLimit-Policy` and `RateLimit` of the IETF httpapi draft: `r` is how many messages are left, `t` after how
 * many seconds one more comes back (the windows slide, so allowance returns message by message). What is left
 * for a number is told only when the request names one.
 */
export function setRateLimitHeaders(
  ctx: KoaContext,
  { numberLimit, toNumber, line }: { numberLimit: number; toNumber?: Allowance; line: Allowance },
): void {
  ctx.set(
    'RateLimit-Policy',
    `"number";q=${numberLimit};w=${WINDOW_SECONDS}, "line";q=${line.limit};w=${WINDOW_SECONDS}`,
  )
  const parts = [...(toNumber ? [describe('number', toNumber)] : []), describe('line', line)]
  ctx.set('RateLimit', parts.join(', '))
}

/** Seconds until both windows have room, rounded up: a client that waits so long is not refused again. */
export function retryAfterSeconds(...allowances: Allowance[]): number {
  const waits = allowances.filter(({ limit, used }) => used >= limit).map(({ opensMs }) => opensMs)
  return Math.max(1, Math.ceil(Math.max(0, ...waits) / 1000))
}

function describe(name: string, { limit, used, opensMs }: Allowance): string {
  return `"${name}";r=${Math.max(0, limit - used)};t=${Math.ceil(Math.max(0, opensMs) / 1000)}`
}
