import { setTimeout as sleep } from 'node:timers/promises'
import { Redis, type RedisOptions } from 'ioredis'
import { Unavailable } from '../../errors.js'
import { readRedisFacts, type RedisFacts } from './redis-facts.js'
import type { Logger } from '../../telemetry/log.js'

/**
 * `fail-fast`: a command without a connection fails immediately (accepting must not wait for Redis). `wait`: commands
 * wait for the connection to come back (BullMQ's workers: without Redis there is nothing to do).
 */
export type RedisMode = 'fail-fast' | 'wait'

/**
 * A connection without an answer for this long is closed and reopened: a load balancer or NAT in between may have
 * dropped it without telling either side.
 */
const SILENCE_MS = 2000

/**
 * A command fails by itself before its connection is closed for its silence. A request must not wait longer for
 * Redis.
 */
const COMMAND_MS = 1500

/** How long a worker may wait for a job in one call. Redis is silent for that time; SILENCE_MS counts only after it. */
export const MAX_BLOCK_SECONDS = 2

/** The Sentinels, which say where the master is. Without them, Redis is where REDIS_URL points. */
export interface Sentinels {
  addresses: readonly { host: string; port: number }[]
  password: string | undefined
}

/**
 * The connection options for a Redis. With Sentinels, the host in the URL is the name by which they know the master.
 */
export function sentinelOptions(url: string, sentinels: Sentinels | undefined): RedisOptions {
  if (sentinels === undefined) return {}
  const hasTls = url.startsWith('rediss:')
  return {
    sentinels: [...sentinels.addresses],
    name: new URL(url).hostname,
    // Without this, a Sentinel that hangs would be waited for forever, and the next one would never be asked.
    sentinelCommandTimeout: COMMAND_MS,
    ...(sentinels.password === undefined ? {} : { sentinelPassword: sentinels.password }),
    ...(hasTls ? { tls: {}, enableTLSForSentinelMode: true, sentinelTLS: {} } : {}),
  }
}

export function connectRedis(url: string, mode: RedisMode, log: Logger, sentinels?: Sentinels): Redis {
  const redis = new Redis(url, {
    ...sentinelOptions(url, sentinels),
    socketTimeout: SILENCE_MS,
    connectTimeout: SILENCE_MS,
    // The first tries follow quickly, for a restart; later ones must not crowd a Redis that is loading its data.
    retryStrategy: (times) => Math.min(100 * times, 1000),
    // A failed-over master answers READONLY until its clients reconnect.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    ...(mode === 'wait'
      ? { maxRetriesPerRequest: null }
      : { maxRetriesPerRequest: 0, enableOfflineQueue: false, commandTimeout: COMMAND_MS }),
  })
  // BullMQ makes its blocking connections with this, and Redis is silent on them while there is nothing to do.
  redis.duplicate = (override) =>
    new Redis({ ...redis.options, socketTimeout: MAX_BLOCK_SECONDS * 1000 + SILENCE_MS, ...override })
  let isDown = false
  redis.on('error', (error: Error) => {
    if (!isDown) log.warn({ err: error }, 'redis.unreachable')
    isDown = true
  })
  redis.on('ready', () => {
    if (isDown) log.info('redis.reachable')
    isDown = false
  })
  return redis
}

/**
 * Runs a command on a fail-fast connection and turns every failure of Redis into one error. Many of ioredis's errors
 * have no code, so the check names the errors that ioredis never throws: those are bugs of ours.
 *
 * @throws Unavailable
 */
export async function redisAvailable<T>(command: () => Promise<T>): Promise<T> {
  try {
    return await command()
  } catch (error) {
    if (error instanceof TypeError || error instanceof ReferenceError) throw error
    throw new Unavailable('Redis is not available', 5, { cause: error })
  }
}

/** Resolves when the connection can be used, however often connecting fails before then. */
export async function whenReady(redis: Redis): Promise<void> {
  if (redis.status === 'ready') return
  // events.once() is not used here, because it gives up at the first `error` event.
  await new Promise<void>((resolve) => redis.once('ready', resolve))
}

/** The longest time that connecting to a working Redis takes. */
const SETTLED_MS = 2000

/** Resolves when the connection can be used, or when it is clear that this will take longer. */
export async function whenSettled(redis: Redis): Promise<void> {
  await Promise.race([whenReady(redis), sleep(SETTLED_MS, undefined, { ref: false })])
}

/** Thrown at a worker's start: with these settings Redis would lose acknowledged jobs. */
export class RedisUnsafe extends Error {
  override name = 'RedisUnsafe'
}

/**
 * Checks the settings on which acknowledged jobs depend. With `allkeys-lru`, 51 of 2,000 acknowledged jobs were left
 * (measured). Without AOF, Redis is empty after a restart. Where CONFIG or INFO is not allowed (managed Redis), this
 * warns instead.
 *
 * @throws RedisUnsafe naming the setting and its fix
 */
export async function requireDurableRedis(redis: Redis, log: Logger): Promise<void> {
  let facts: RedisFacts
  try {
    facts = await readRedisFacts(redis)
  } catch (error) {
    log.warn({ err: error }, 'redis.durability_unknown')
    return
  }
  const { policy, hasAof } = facts
  if (policy === null || hasAof === null) log.warn({ policy, hasAof }, 'redis.durability_unknown')
  if (policy !== null && policy !== 'noeviction') {
    throw new RedisUnsafe(`Redis has maxmemory-policy ${policy} and may drop jobs. Set it to noeviction`)
  }
  if (hasAof === false) {
    throw new RedisUnsafe('Redis has appendonly no and would start empty after a crash. Set it to yes')
  }
}
