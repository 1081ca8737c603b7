import { findDueWork, type DueWork } from '../database/operating/due-work.js'
import type { Context } from './context.js'
import { OVERDUE_MS } from './sweep.js'

/** Timers that run at about the same moment share an answer; it is too old for the next second. */
const FRESH_MS = 500

/**
 * Says what there is to do, so that what looks each second asks Postgres for nothing else while there is nothing. All who ask
 * at about the same time ask once.
 *
 * @returns a function that tells which of the given kinds are due
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
      answer = findDueWork(db, OVERDUE_MS)
    }
    const found = await answer
    return kinds.filter((kind) => found.has(kind))
  }
}
