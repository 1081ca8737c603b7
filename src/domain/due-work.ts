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

/**
 * Finds out what there is to do, so that checks that run every second query nothing else while there is nothing to do.
 * Calls at about the same time share a query. Idle lanes are looked for less often if that takes long.
 *
 * @returns a function that returns which of the given kinds are due
 */
export function createDueWork({
  db,
}: Pick<Context, 'db'>): <Kind extends DueWork>(...kinds: Kind[]) => Promise<Kind[]> {
  let askedAt = -Infinity
  let answer: Promise<Set<DueWork>> | undefined
  const lanes = createPace(LANES_SHARE, () => performance.now())
  return async (...kinds) => {
    const now = performance.now()
    if (answer === undefined || now - askedAt > FRESH_MS) {
      askedAt = now
      const find = (looksIntoLanes: boolean) =>
        findDueWork(db, { overdueMs: OVERDUE_MS, maxLost: MAX_LOST, looksIntoLanes })
      answer = lanes.isDue() ? lanes.during(() => find(true)) : find(false)
    }
    const found = await answer
    return kinds.filter((kind) => found.has(kind))
  }
}

/**
 * Paces something so that it takes at most a share of the time, however long it takes, and also if it fails. It is not due
 * while it runs.
 *
 * @param now a clock in milliseconds
 */
export function createPace(share: number, now: () => number) {
  let nextAt = -Infinity
  return {
    isDue: () => now() >= nextAt,
    during: async <T>(run: () => Promise<T>): Promise<T> => {
      const startedAt = now()
      nextAt = Infinity
      try {
        return await run()
      } finally {
        nextAt = startedAt + (now() - startedAt) / share
      }
    },
  }
}
