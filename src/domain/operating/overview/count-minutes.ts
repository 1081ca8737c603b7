import {
  countMinutes,
  findStaleMinute,
  findThisMinute,
  findUncountedMinute,
} from '../../../database/operating/overview/counting.js'
import { DatabaseUnavailable } from '../../../database/outage.js'
import type { Context } from '../../context.js'

const MINUTE_MS = 60_000

/**
 * Counts the traffic, a row for each minute, for the charts of the overview; called every few seconds. Rows change
 * after their minute (a receipt, a late answer), so the last hour is counted repeatedly, and the newest minutes each
 * time.
 */
export async function countNewestMinutes({ db }: Pick<Context, 'db'>): Promise<void> {
  const minute = await findThisMinute(db)
  await countMinutes(db, minutesAfter(minute, -1), minutesAfter(minute, 1))
}

/** A minute of the last hour is counted again after this time. */
const STALE_SECONDS = 180
const STALE_MINUTES = 5

/** Updates older minutes, a few at a time. */
export async function recountMinutes({ db }: Pick<Context, 'db'>): Promise<void> {
  const stale = await findStaleMinute(db, STALE_SECONDS)
  if (stale === undefined) return
  const minute = await findThisMinute(db)
  const until = Math.min(minutesAfter(stale, STALE_MINUTES).getTime(), minute.getTime())
  if (until > stale.getTime()) await countMinutes(db, stale, new Date(until))
}

/**
 * The minutes of a gap that are counted at a time: it may be a week with many millions of rows, and statements have a
 * limit.
 */
const LARGEST_STEP = 60
/** How long one run may take, because there are other things to do. */
const CATCH_UP_MS = 500

/**
 * Counts minutes of the last week that were not counted because no `maintenance` was running, newest first.
 *
 * @returns a function that does some of it each time it is called
 */
export function createBackfill({ db }: Pick<Context, 'db'>): () => Promise<void> {
  let step = LARGEST_STEP

  return async () => {
    const startedAt = performance.now()
    while (performance.now() - startedAt < CATCH_UP_MS) {
      const last = await findUncountedMinute(db)
      if (last === undefined) return
      try {
        await countMinutes(db, minutesAfter(last, 1 - step), minutesAfter(last, 1))
        step = Math.min(step * 2, LARGEST_STEP)
      } catch (error) {
        // That may have been too much for one statement.
        step = Math.max(1, Math.floor(step / 4))
        if (error instanceof DatabaseUnavailable && error.outage === 'busy' && step > 1) continue
        throw error
      }
    }
  }
}

function minutesAfter(minute: Date, count: number): Date {
  return new Date(minute.getTime() + count * MINUTE_MS)
}
