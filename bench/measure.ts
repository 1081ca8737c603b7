import type { Bench } from './harness/bench.js'

/** One thing that is found out, in so many rounds. Every file in `measures/` has one; `registry.ts` lists them. */
export type Measure = (bench: Bench, rounds: number) => Promise<Figure[]>

/** One line of the table. */
export interface Figure {
  /** By this name `goals.ts` knows it. */
  name: string
  value: number
  unit: '/s' | 'ms' | 's' | 'µs' | 'MB' | ''
  /** What it was measured beside, and how many times as much of that it is: the median of the rounds' ratios. */
  yardstick?: { name: string; value: number }
  ratio?: number
  /** Of each round. */
  ratios?: number[]
  /** What a reader should know beside it. */
  note?: string
}
