import type { Bench } from './harness/bench.js'

/** Measures one thing in so many rounds. Every file in `measures/` has one, and `registry.ts` lists them. */
export type Measure = (bench: Bench, rounds: number) => Promise<Figure[]>

/** One line of the table. */
export interface Figure {
  /** `goals.ts` knows the figure by this name. */
  name: string
  value: number
  unit: '/s' | 'ms' | 'ms/s' | 's' | 'µs' | 'MB' | ''
  /** What it was measured beside. `ratio` is the value divided by the yardstick's: the median of the rounds. */
  yardstick?: { name: string; value: number }
  ratio?: number
  /** The ratio of each round. */
  ratios?: number[]
  /** What else a reader should know of it. */
  note?: string
}
