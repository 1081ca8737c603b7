import type { Redis } from 'ioredis'
import { Unavailable } from '../../errors.js'
import { newId } from '../../ids.js'
import { redisAvailable } from './redis.js'

/** Allows at most `limit` in any span of `lengthMs`. */
interface Allowance {
  key: string
  limit: number
  lengthMs: number
}

/**
 * Counts what strangers do. Unlike a sliding window (`sliding-window.ts`), it keeps no queue: a refused caller leaves
 * nothing behind, however often it asks.
 */
export interface Throttle {
  /**
   * Never fails: without Redis, each process counts separately, starting at zero.
   *
   * @param isFree true to ask whether there is room without taking any
   * @returns 0, or the milliseconds until there is room
   */
  take(allowance: Allowance, options?: { isFree?: boolean }): Promise<number>
}

// KEYS who has taken room (score = when, in ms) · ARGV member ('' takes none), limit, length in ms
const TAKE = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
local limit, length = tonumber(ARGV[2]), tonumber(ARGV[3])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - length)
if redis.call('ZCARD', KEYS[1]) >= limit then
  return tonumber(redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')[2]) + length - now
end
if ARGV[1] ~= '' then
  redis.call('ZADD', KEYS[1], now, ARGV[1])
  redis.call('PEXPIRE', KEYS[1], length)
end
return 0`

type WithScript = Redis & { takeRoom(...args: (string | number)[]): Promise<number> }

export function createThrottle(redis: Redis): Throttle {
  redis.defineCommand('takeRoom', { lua: TAKE, numberOfKeys: 1 })
  const scripted = redis as WithScript
  const takeHere = countHere()
  return {
    take: async (allowance, { isFree = false } = {}) => {
      const { key, limit, lengthMs } = allowance
      try {
        return await redisAvailable(() => scripted.takeRoom(key, isFree ? '' : newId(), limit, lengthMs))
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error
        return takeHere(allowance, isFree, performance.now())
      }
    },
  }
}

/** Bounds the memory, which a caller with many addresses could otherwise fill. The oldest keys are dropped. */
const MAX_KEYS = 10_000

function countHere() {
  const takenAt = new Map<string, number[]>()
  return ({ key, limit, lengthMs }: Allowance, isFree: boolean, now: number): number => {
    const recent = (takenAt.get(key) ?? []).filter((at) => at > now - lengthMs)
    const [oldest] = recent
    if (oldest !== undefined && recent.length >= limit) return Math.ceil(oldest + lengthMs - now)
    if (isFree) return 0
    takenAt.delete(key)
    takenAt.set(key, [...recent, now])
    const [first] = takenAt.keys()
    if (takenAt.size > MAX_KEYS && first !== undefined) takenAt.delete(first)
    return 0
  }
}
