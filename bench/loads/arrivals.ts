import { until } from '../../test/helpers/until.js'
import type { Figure } from '../measure.js'
import { percentile } from '../statistics.js'
import type { Posted } from './steady.js'

/** What became of the posted texts. */
export interface Arrivals {
  /** The texts that were taken, in the order of posting, with times by performance.now(). */
  taken: { postedAt: number; arrivedAt: number }[]
  refusedCount: number
}

/**
 * Waits until every text that was taken has arrived. A text that has not arrived at the limit counts as arriving then. Its
 * real time is longer, but this one is already longer than any goal.
 */
export async function whenArrived(
  posted: readonly Posted[],
  arrivedAt: (text: string) => number | undefined,
  limitMs: number,
): Promise<Arrivals> {
  const taken = posted.filter(({ status }) => status >= 200 && status <= 299)
  const haveArrived = () => taken.every(({ text }) => arrivedAt(text) !== undefined)
  await until('all have arrived', haveArrived, limitMs).catch(() => undefined)
  const now = performance.now()
  return {
    taken: taken.map(({ text, postedAt }) => ({ postedAt, arrivedAt: arrivedAt(text) ?? now })),
    refusedCount: posted.length - taken.length,
  }
}

/** The times of the texts that were taken, and the number of those that were not. */
export function timesOf(name: string, arrivals: readonly Arrivals[]): Figure[] {
  const taken = arrivals.flatMap((each) => each.taken)
  const ms = taken.map(({ postedAt, arrivedAt }) => arrivedAt - postedAt)
  const refusedCount = arrivals.reduce((sum, each) => sum + each.refusedCount, 0)
  return [
    { name: `${name}, p50`, value: percentile(ms, 0.5), unit: 'ms' },
    { name: `${name}, p99`, value: percentile(ms, 0.99), unit: 'ms' },
    { name: `${name}, refused`, value: refusedCount, unit: '', note: `of ${taken.length + refusedCount}` },
  ]
}
