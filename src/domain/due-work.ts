import { findDueWork, type DueWork } from '../database/operating/due-work.js'
import type { Context } from './context.js'
import { MAX_LOST } from './crashes.js'
import { OVERDUE_MS } from './sweep.js'

/** Timers that run at about the same time share an answer, which is too old a second later. */
const FRESH_MS = 500
/**
 * Looking for idle lanes takes at most this share of the time. It costs 10 to 100 µs for each endpoint with deliveries that
 * wait: with 10,000 endpoints that are down, a look every second would keep a core of Postgres busy.
 */
const LANES_SHARE = 0.05
/** The longest pause between two looks. When Postgres hangs, a look takes long, and lanes become idle. */
const LANES_PAUSE_MS = 60_000

/**
 * Finds out what there is to do, so that checks that run every second query nothing else while there is nothing to do.
 * Calls at about the same time share a query. Idle lanes are looked for less often if that takes long.
 *
 * @returns a function that returns which of the given kinds are due
 */
export function createDueWork(
  { db }: Pick<Context, 'db'>,
  now = () => performance.now(),
): <Kind extends DueWork>(...kinds: Kind[]) => Promise<Kind[]> {
  let askedAt = -Infinity
  let answer: Promise<Set<DueWork>> | undefined
  // A look may be due when a timer asks that has no use for it. What it found is kept for the one that has.
  let areLanesIdle = false
  const lanes = createPace(LANES_SHARE, LANES_PAUSE_MS, now)
  const find = async (looksIntoLanes: boolean) => {
    const found = await findDueWork(db, { overdueMs: OVERDUE_MS, maxLost: MAX_LOST, looksIntoLanes })
    if (looksIntoLanes) areLanesIdle = found.has('idle lanes')
    return found
  }
  return async (...kinds) => {
    if (answer === undefined || now() - askedAt > FRESH_MS) {
      askedAt = now()
      answer = lanes.isDue() ? lanes.during(() => find(true)) : find(false)
    }
    const found = await answer
    return kinds.filter((kind) => {
      if (kind !== 'idle lanes') return found.has(kind)
      const areIdle = areLanesIdle
      areLanesIdle = false
      return areIdle
    })
  }
}

/**
 * Paces something so that it takes at most a share of the time, also if it fails, unless that would be a longer pause than
 * `maxPauseMs`. It is not due while it runs.
 *
 * @param now a clock in milliseconds
 */
export function createPace(share: number, maxPauseMs: number, now: () => number) {
  let nextAt = -Infinity
  return {
    isDue: () => now() >= nextAt,
    during: async <T>(run: () => Promise<T>): Promise<T> => {
      const startedAt = now()
      nextAt = Infinity
      try {
        return await run()
      } finally {
        const endedAt = now()
        nextAt = endedAt + Math.min((endedAt - startedAt) * (1 / share - 1), maxPauseMs)
      }
    },
  }
}
