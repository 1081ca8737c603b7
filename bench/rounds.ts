import type { Figure } from './measure.js'
import { median } from './statistics.js'

/**
 * Runs a measure and its yardstick by turns, so that a machine that slows down slows both. A ratio is that of two neighbours.
 */
export async function besideYardstick(
  rounds: number,
  name: string,
  measure: () => Promise<number>,
  yardstick: { name: string; measure: () => Promise<number> },
): Promise<Figure> {
  const values: number[] = []
  const yardsticks: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    values.push(await measure())
    yardsticks.push(await yardstick.measure())
  }
  return compare(name, values, yardstick.name, yardsticks)
}

/** Makes a figure of rounds that were measured already. Both lists are counts per second. */
export function compare(
  name: string,
  values: readonly number[],
  yardstick: string,
  yardsticks: readonly number[],
): Figure {
  const ratios = values.map((value, round) => value / (yardsticks[round] ?? NaN))
  return {
    name,
    value: median(values),
    unit: '/s',
    yardstick: { name: yardstick, value: median(yardsticks) },
    ratio: median(ratios),
    ratios,
  }
}
