import { findDueWork, type DueWork } from '../database/operating/due-work.js'
import type { Context } from './context.js'
import { MAX_LOST } from './crashes.js'
import { OVERDUE_MS } from './sweep.js'

/** Timers that run at about the same time share an answer, which is too old a second later. */
const FRESH_MS = 500

/**
 * Finds out what there is to do, so that checks that run every second query nothing else while there is nothing to do.
 * Calls at about the same time share a query.
 *
 * @returns a function that returns which of the given kinds are due
 */
export function createDueWork({
  db,
}: Pick<Context, 'db'>): <Kind extends DueWork>(...kinds: Kind[]) => Promise<Kind[]> {
  let askedAt = -Infinity
  let answer: Promise<Set<DueWork>> | undefined
  return async (...kinds) => {
    const now = performance.now()
    if (answer === undefined || now - askedAt > FRESH_MS) {
      askedAt = now
      answer = findDueWork(db, { overdueMs: OVERDUE_MS, maxLost: MAX_LOST })
    }
    const found = await answer
    return kinds.filter((kind) => found.has(kind))
  }
}
