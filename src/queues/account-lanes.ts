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
 * Like a job, an id in a lane only says which row to look at. It may be lost, with Redis or with the process that took
 * it, and then the sweep brings it again; it may be there for nothing, and then the claim says so.
 */
export interface AccountLanes {
  /**
   * @param inMs when the messages may be taken
   * @returns whether some process takes them now
   * @throws Unavailable
   */
  put(accountId: string, messageIds: readonly string[], inMs?: number): Promise<boolean>
  /**
   * Which of the messages wait in the lane; none while no process takes them.
   *
   * @throws Unavailable
   */
  waiting(accountId: string, messageIds: readonly string[]): Promise<Set<string>>
  /** Takes what waits, in order, until it is closed. */
  work(accountId: string, options: LaneWork): { close(): Promise<void> }
}

export interface LaneWork {
  /** How many are taken at a time, and more while the sessions are quick (`AHEAD_MS`). */
  concurrency: number
  /** Never fails. */
  take: (messageId: string) => Promise<Taken>
}

export interface Taken {
  /** It went out by the sessions, whatever became of it. */
  wasSent: boolean
  /** When the message is to be looked at again, in ms; left out: it needs no more. */
  againInMs?: number
}

/**
 * So much as is sent in this time is taken beside what the sessions have room for, because a statement for sixty costs
 * less than three for twenty (measured: 2,207 texts a second with 20 at a time, 3,411 with 100). It is short, because
 * what a killed process has taken may have been sent.
 */
const AHEAD_MS = 15
const MOST_AT_ONCE = 200
/** How often it is counted how much was sent. In less, one batch that is settled would count for a rush. */
const COUNTED_MS = 200
/** A process that died takes nothing more after this. It renews its name each second, so a renewal or two may fail. */
const SERVED_MS = 5000
const SERVED_RENEWED_MS = 1000
/** How long the bell is waited for. Redis is silent meanwhile, so it must be less than `SILENCE_MS` (`redis.ts`). */
const WAIT_MS = 1000
/** BLPOP takes shorter waits for none at all, and then waits for ever. */
const SHORTEST_WAIT_MS = 10
/** Without a pause, a Redis that answers with errors would be asked as fast as the processor allows. */
const AFTER_ERROR_MS = 200
/** How long closing waits for the answer to the last BLPOP. */
const CLOSE_MS = 2000

// A sorted set by the time, in ms by the clock of Redis, from which a message may be taken. The bell is a list that has
// one
// element while something new waits: whoever waits for it (BLPOP) looks at once.

// KEYS lane, bell, server · ARGV ms to wait, ids · Gives whether there is a server.
const PUT = `
local t = redis.call('TIME')
local at = t[1] * 1000 + math.floor(t[2] / 1000) + ARGV[1]
for n = 2, #ARGV do redis.call('ZADD', KEYS[1], 'LT', at, ARGV[n]) end
if redis.call('LLEN', KEYS[2]) == 0 then redis.call('RPUSH', KEYS[2], '1') end
return redis.call('EXISTS', KEYS[3])`

// KEYS lane · ARGV how many · Gives the ms until the next may be taken (-1: none waits), and the ids that were taken.
const TAKE = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local ids = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'LIMIT', 0, ARGV[1])
if #ids > 0 then redis.call('ZREM', KEYS[1], unpack(ids)) end
local first = redis.call('ZRANGE', KEYS[1], 0, 0, 'WITHSCORES')
return { first[2] and math.max(0, first[2] - now) or -1, ids }`

// KEYS server · ARGV its name · Another may serve by now.
const LEAVE = `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('DEL', KEYS[1]) end`

type WithScripts = Redis & {
  putInLane(...args: (string | number)[]): Promise<number>
  takeFromLane(...args: (string | number)[]): Promise<[nextInMs: number, ids: string[]]>
  leaveLane(...args: (string | number)[]): Promise<null>
}

/** @param connect makes a connection that waits for Redis, for reading only */
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
      // Redis says itself when it is away.
      const renew = () => redis.set(server, name, 'PX', SERVED_MS).catch(() => undefined)
      const renewing = every(SERVED_RENEWED_MS, renew, log, 'account lanes')

      /** If Redis is away, the sweep brings the message. */
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
        // Half of them at a time, so that they are claimed and settled together.
        while (!isClosed && taking.size > limit / 2) await Promise.race(taking)
        if (isClosed) return
        count()
        const [nextInMs, ids] = await scripted.takeFromLane(lane, Math.ceil(limit - taking.size))
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

/** The keys are in one hash slot, for the scripts. */
function keysOf(accountId: string): { lane: string; bell: string; server: string } {
  const of = (what: string) => `lh:{send:${accountId}}:${what}`
  return { lane: of('lane'), bell: of('bell'), server: of('server') }
}
