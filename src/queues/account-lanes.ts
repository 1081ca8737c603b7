import { setTimeout as sleep } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import { newId } from '../ids.js'
import { every } from '../kit/process/every.js'
import { redisAvailable } from '../kit/redis/redis.js'
import type { Logger } from '../telemetry/log.js'

/**
 * The messages that wait for the process that holds the sessions of their carrier account, each until its time. They
 * have no jobs of BullMQ: a job costs more than the text, and this process takes as many at once as the sessions have
 * room for.
 *
 * Like a job, an id in a lane only says which row to look at. It may be lost with Redis or with the process that took
 * it: then the sweep adds it again. It may be obsolete: then the claim finds nothing to do.
 */
export interface AccountLanes {
  /**
   * @param inMs when the messages may be taken
   * @returns true if a process takes them now
   * @throws Unavailable
   */
  put(accountId: string, messageIds: readonly string[], inMs?: number): Promise<boolean>
  /**
   * Returns the messages that wait in the lane; none while no process takes them.
   *
   * @throws Unavailable
   */
  waiting(accountId: string, messageIds: readonly string[]): Promise<Set<string>>
  /** Takes waiting messages in order, until it is closed. */
  work(accountId: string, options: LaneWork): { close(): Promise<void> }
}

export interface LaneWork {
  /** The number that are taken at a time; more while the sessions are quick (`AHEAD_MS`). */
  concurrency: number
  /** Must never fail. */
  take: (messageId: string) => Promise<Taken>
}

export interface Taken {
  /** True if the message went out through the sessions, whatever happened to it. */
  wasSent: boolean
  /** The milliseconds until the message has to be looked at again; undefined if it does not. */
  againInMs?: number
}

/**
 * As many messages as are sent in this time are taken in addition to those that the sessions have room for, because a
 * statement for sixty costs less than three for twenty (measured: 2,207 texts a second with 20 at a time, 3,411 with
 * 100). The time is short, because messages that a killed process has taken may have been sent.
 */
const AHEAD_MS = 15
const MOST_AT_ONCE = 200
/** Lua has room for 8,000 values on its stack, and sessions may have room for more messages. */
const MOST_IN_SCRIPT = 1000
/**
 * The interval at which sent messages are counted. In a shorter one, a single batch that is settled would look like a
 * rush.
 */
const COUNTED_MS = 200
/**
 * After this time a process that died counts as gone. It renews its name each second, so one or two renewals may
 * fail.
 */
const SERVED_MS = 5000
const SERVED_RENEWED_MS = 1000
/** The longest wait for the bell. Redis is silent during it, so it must be less than `SILENCE_MS` (`redis.ts`). */
const WAIT_MS = 1000
/** BLPOP treats a shorter wait as zero, and then waits forever. */
const SHORTEST_WAIT_MS = 10
/** Without a pause, a Redis that answers with errors would be asked as fast as the processor allows. */
const AFTER_ERROR_MS = 200
/** The longest time that closing waits for the answer to the last BLPOP. */
const CLOSE_MS = 2000

// The lane is a sorted set by the time, in ms by the clock of Redis, from which a message may be taken. The bell is a
// list that has one element while something new waits: a process that waits for it (BLPOP) looks immediately.

// KEYS lane, bell, server · ARGV ms to wait, ids · Returns whether there is a server.
const PUT = `
local t = redis.call('TIME')
local at = t[1] * 1000 + math.floor(t[2] / 1000) + ARGV[1]
for n = 2, #ARGV do redis.call('ZADD', KEYS[1], 'LT', at, ARGV[n]) end
if redis.call('LLEN', KEYS[2]) == 0 then redis.call('RPUSH', KEYS[2], '1') end
return redis.call('EXISTS', KEYS[3])`

// KEYS lane · ARGV how many · Returns the ms until the next may be taken (-1: none waits), and the ids that were
// taken.
const TAKE = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
if #ids > 0 then redis.call('ZREM', KEYS[1], unpack(ids)) end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return { first[2] and math.max(0, first[2] - now) or -1, ids }`

// KEYS server · ARGV its name · Another process may serve the lane by now, so its name is not deleted.
const LEAVE = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`

type WithScripts = Redis & {
  putInLane(...args: (string | number)[]): Promise<number>
  takeFromLane(...args: (string | number)[]): Promise<[nextInMs: number, ids: string[]]>
  leaveLane(...args: (string | number)[]): Promise<null>
}

/** @param connect makes a connection that waits for Redis; it is only used to read */
export function createAccountLanes(redis: Redis, connect: () => Redis, log: Logger): AccountLanes {
  redis.defineCommand('putInLane', { lua: PUT, numberOfKeys: 3 })
  redis.defineCommand('takeFromLane', { lua: TAKE, numberOfKeys: 1 })
  redis.defineCommand('leaveLane', { lua: LEAVE, numberOfKeys: 1 })
  const scripted = redis as WithScripts

  async function put(accountId: string, ids: readonly string[], inMs = 0): Promise<boolean> {
    const { lane, bell, server } = keysOf(accountId)
    return redisAvailable(async () => (await scripted.putInLane(lane, bell, server, inMs, ...ids)) === 1)
  }

  return {
    put,

    waiting: async (accountId, ids) => {
      if (ids.length === 0) return new Set()
      const { lane, server } = keysOf(accountId)
      const [isServed, times] = await redisAvailable(() =>
        Promise.all([redis.exists(server), redis.zmscore(lane, ...ids)]),
      )
      return new Set(ids.filter((_, n) => isServed === 1 && times[n] != null))
    },

    work: (accountId, { concurrency, take }) => {
      const { lane, bell, server } = keysOf(accountId)
      const name = newId()
      const connection = connect()
      const taking = new Set<Promise<void>>()
      let isClosed = false
      let limit = concurrency
      let sentCount = 0
      let countedAt = performance.now()
      // An outage is not logged here, because the connection itself reports it.
      const renew = () => redis.set(server, name, 'PX', SERVED_MS).catch(() => undefined)
      const renewing = every(SERVED_RENEWED_MS, renew, log, 'account lanes')

      /** If Redis is unavailable, the sweep adds the message later. */
      async function run(id: string): Promise<void> {
        const { wasSent, againInMs } = await take(id)
        if (wasSent) sentCount += 1
        if (againInMs !== undefined) await put(accountId, [id], againInMs).catch(() => false)
      }

      function start(id: string): void {
        const one = run(id).finally(() => taking.delete(one))
        taking.add(one)
      }

      function count(): void {
        const ms = performance.now() - countedAt
        if (ms < COUNTED_MS) return
        const ahead = Math.round((sentCount / ms) * AHEAD_MS)
        limit = Math.max(concurrency, Math.min(MOST_AT_ONCE, concurrency / 2 + ahead))
        sentCount = 0
        countedAt += ms
      }

      async function takeSome(): Promise<void> {
        // Waits until half of the slots are free, so that messages are claimed and settled together.
        while (!isClosed && taking.size > limit / 2) await Promise.race(taking)
        if (isClosed) return
        count()
        const room = Math.min(Math.ceil(limit - taking.size), MOST_IN_SCRIPT)
        const [nextInMs, ids] = await scripted.takeFromLane(lane, room)
        ids.forEach(start)
        if (ids.length > 0) return
        const waitMs = nextInMs < 0 ? WAIT_MS : Math.min(WAIT_MS, Math.max(nextInMs, SHORTEST_WAIT_MS))
        await connection.blpop(bell, waitMs / 1000)
      }

      async function work(): Promise<void> {
        while (!isClosed) {
          await takeSome().catch(() => (isClosed ? undefined : sleep(AFTER_ERROR_MS)))
        }
      }

      const working = work()
      return {
        close: async () => {
          isClosed = true
          await renewing.stop()
          await scripted.leaveLane(server, name).catch(() => null)
          await Promise.race([working, sleep(CLOSE_MS, undefined, { ref: false })])
          connection.disconnect()
          await Promise.all(taking)
        },
      }
    },
  }
}

/** The keys are in one hash slot because the scripts need that. */
function keysOf(accountId: string): { lane: string; bell: string; server: string } {
  const of = (what: string) => `lh:{send:${accountId}}:${what}`
  return { lane: of('lane'), bell: of('bell'), server: of('server') }
}
