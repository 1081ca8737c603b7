import type { Context as KoaContext } from 'koa'
import type { Allowance } from '../database/messages/queueing.js'

const WINDOW_SECONDS = 60

/**
 * Sets `RateLimit-Policy` and `RateLimit` of the IETF httpapi draft: `r` is the number of messages left, `t` the
 * seconds until there is room for one more (the windows slide, so allowance returns message by message). The window
 * of a number is included only if the request names one.
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

/** Seconds until both windows have room, rounded up: a client that waits this long is not refused again. */
export function retryAfterSeconds(...allowances: Allowance[]): number {
  const waits = allowances.filter(({ limit, used }) => used >= limit).map(({ opensMs }) => opensMs)
  return Math.max(1, Math.ceil(Math.max(0, ...waits) / 1000))
}

function describe(name: string, { limit, used, opensMs }: Allowance): string {
  return `"${name}";r=${Math.max(0, limit - used)};t=${Math.ceil(Math.max(0, opensMs) / 1000)}`
}
