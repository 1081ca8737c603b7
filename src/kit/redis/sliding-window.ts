import { readFileSync } from 'node:fs'
import type { Redis } from 'ioredis'
import { inProject } from '../process/project-files.js'
import { redisAvailable } from './redis.js'

/**
 * A window has at most `limit` places in any span of `lengthMs`. Keys of windows that are taken together share a hash
 * tag.
 */
export interface Window {
  key: string
  limit: number
  lengthMs: number
  /**
   * How many places a member takes: the first immediately, the others one after another, as fast as the window allows.
   * There may be more than the limit. The default is 1.
   */
  places?: number
}

export interface SlidingWindows {
  /**
   * Takes its places in every window for `member`, or in none. A repeat with the same member counts once, so it is
   * harmless after a crash.
   *
   * @param now in ms; the default is the clock of Redis, because the clocks of processes differ
   * @returns 0 if the places were taken, otherwise the milliseconds to wait before asking again
   * @throws Unavailable
   */
  take(member: string, windows: readonly Window[], now?: number): Promise<number>
  /**
   * Like `take`, but for a member that goes first: it gets the next place that opens, before all others that wait for
   * one.
   */
  takeFirst(member: string, windows: readonly Window[], now?: number): Promise<number>
  /**
   * Moves the places that `member` has to a later moment. A member that has to wait for something else keeps them until
   * then, when it asks again.
   *
   * @param now as for `take`
   * @throws Unavailable
   */
  hold(member: string, windows: readonly Window[], waitMs: number, now?: number): Promise<void>
  /**
   * Removes members that no longer want anything from a window: their turns, and the places that they hold for later. A
   * place that was taken stays taken.
   *
   * @param now as for `take`
   * @returns those that waited behind them and may ask earlier, with the milliseconds until then. They keep their
   * turns.
   * @throws Unavailable
   */
  leave(
    window: Window,
    members: readonly string[],
    now?: number,
  ): Promise<{ member: string; waitMs: number }[]>
  /**
   * Restores the places that Redis has lost; those that it still has stay as they are.
   *
   * @throws Unavailable
   */
  fill(window: Window, places: readonly { member: string; agoMs: number }[]): Promise<void>
  /**
   * Empties windows, both of taken places and of waiting members.
   *
   * @throws Unavailable
   */
  clear(keys: Iterable<string>): Promise<void>
  /**
   * Forgets the waiting members of windows. Taken places stay taken.
   *
   * @throws Unavailable
   */
  forgetWaiting(keys: readonly string[]): Promise<void>
}

/** How late a waiter may come back before its turn goes to the next. A busy worker may be late without being dead. */
const PATIENCE_MS = 2000

/** This many keep Redis busy for 20 ms. Those behind them keep the times that they were given. */
const MOST_MOVED = 5000

/** A line may have 100,000 places. A call can take fewer arguments than those are, and Redis does nothing else meanwhile. */
const MOST_FILLED = 5000

const script = readScript('sliding-window')
const holdScript = readScript('sliding-window-hold')
const fillScript = readScript('sliding-window-fill')
const leaveScript = readScript('sliding-window-leave')

type Script<Answer = number> = (keyCount: number, ...args: (string | number)[]) => Promise<Answer>

type WithScript = Redis & {
  slidingWindow: Script
  slidingWindowHold: Script
  slidingWindowFill: Script
  slidingWindowLeave: Script<(string | number)[]>
}

export function createSlidingWindows(redis: Redis): SlidingWindows {
  redis.defineCommand('slidingWindow', { lua: script })
  redis.defineCommand('slidingWindowHold', { lua: holdScript })
  redis.defineCommand('slidingWindowFill', { lua: fillScript })
  redis.defineCommand('slidingWindowLeave', { lua: leaveScript })
  const takeAs =
    (goesFirst: boolean): SlidingWindows['take'] =>
    (member, windows, now) =>
      redisAvailable(() =>
        (redis as WithScript).slidingWindow(
          windows.length * 2,
          ...windows.flatMap(({ key }) => [key, waiters(key)]),
          member,
          now ?? '',
          PATIENCE_MS,
          goesFirst ? 1 : 0,
          ...windows.flatMap(({ limit, lengthMs, places = 1 }) => [limit, lengthMs, places]),
        ),
      )
  return {
    take: takeAs(false),
    takeFirst: takeAs(true),
    hold: async (member, windows, waitMs, now) => {
      await redisAvailable(() =>
        (redis as WithScript).slidingWindowHold(
          windows.length,
          ...windows.map(({ key }) => key),
          member,
          now ?? '',
          waitMs,
          ...windows.flatMap(({ limit, lengthMs }) => [limit, lengthMs]),
        ),
      )
    },
    leave: async ({ key, limit, lengthMs }, members, now) => {
      const told = await redisAvailable(() =>
        (redis as WithScript).slidingWindowLeave(
          2,
          key,
          waiters(key),
          now ?? '',
          limit,
          lengthMs,
          MOST_MOVED,
          ...members,
        ),
      )
      return Array.from({ length: told.length / 2 }, (_, n) => ({
        member: String(told[2 * n]),
        waitMs: Number(told[2 * n + 1]),
      }))
    },
    fill: async ({ key, lengthMs }, places) => {
      for (let from = 0; from < places.length; from += MOST_FILLED) {
        const some = places.slice(from, from + MOST_FILLED)
        await redisAvailable(() =>
          (redis as WithScript).slidingWindowFill(
            1,
            key,
            '',
            lengthMs,
            ...some.flatMap(({ member, agoMs }) => [member, agoMs]),
          ),
        )
      }
    },
    forgetWaiting: async (keys) => {
      // Each has a command, because windows of different lines may be on different servers of a cluster.
      await redisAvailable(() => Promise.all(keys.map((key) => redis.del(waiters(key)))))
    },
    clear: async (keys) => {
      const [first, ...others] = keys
      if (first === undefined) return
      if (others.length === 0) {
        // The client needs 0.3 ms to make a pipeline, because it copies each of BullMQ's commands to it.
        await redisAvailable(() => redis.del(first, waiters(first)))
        return
      }
      const pipeline = redis.pipeline()
      // Each key needs a separate command, because windows of different lines may be on different servers of a
      // cluster.
      for (const key of [first, ...others]) pipeline.del(key, waiters(key))
      await redisAvailable(async () => {
        const failure = (await pipeline.exec())?.find(([error]) => error)?.[0]
        if (failure) throw failure
      })
    },
  }
}

function waiters(key: string): string {
  return `${key}:waiting`
}

function readScript(name: string): string {
  const [places, script] = ['sliding-window-places', name].map((each) =>
    readFileSync(inProject(`src/kit/redis/${each}.lua`), 'utf8'),
  )
  return `${places}\n${script}`
}
