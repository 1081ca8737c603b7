import { STEP } from '../../../database/operating/overview/traffic-counts.js'

/** The distribution of a duration: half of all took at most `p50Ms`, and 95 in 100 at most `p95Ms`. */
export interface Percentiles {
  p50Ms: number
  p95Ms: number
}

/**
 * Computes percentiles from counts by their step of time. Within a step, values are assumed to be evenly spread, so a
 * figure is at most an eighth off.
 *
 * @returns undefined if there is none
 */
export function percentilesOf(steps: readonly { step: number; count: number }[]): Percentiles | undefined {
  // A step comes once for each bin of a span, and is spread over its items of all bins together.
  const countOf = new Map<number, number>()
  for (const { step, count } of steps) countOf.set(step, (countOf.get(step) ?? 0) + count)
  const total = [...countOf.values()].reduce((sum, count) => sum + count, 0)
  if (total === 0) return undefined
  const sorted = [...countOf].map(([step, count]) => ({ step, count })).sort((a, b) => a.step - b.step)
  return { p50Ms: at(sorted, total * 0.5), p95Ms: at(sorted, total * 0.95) }
}

function at(sorted: readonly { step: number; count: number }[], rank: number): number {
  let before = 0
  for (const { step, count } of sorted) {
    if (before + count >= rank) return STEP ** (step - 1 + (rank - before) / count)
    before += count
  }
  return STEP ** (sorted.at(-1)?.step ?? 0)
}
