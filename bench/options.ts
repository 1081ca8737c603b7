import { parseArgs } from 'node:util'
import { REGISTRY, type Entry } from './registry.js'

export interface Options {
  entries: readonly Entry[]
  /** Whether these are all measures. */
  isWhole: boolean
}

/** Reads `--only accept,send` and `--rounds 5`. @throws Error that says what would be right */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({ args, options: { only: { type: 'string' }, rounds: { type: 'string' } } })
  const rounds = values.rounds === undefined ? undefined : Number(values.rounds)
  if (rounds !== undefined && !(Number.isInteger(rounds) && rounds > 0)) {
    throw new Error('--rounds must be a whole number from 1')
  }
  const names = values.only?.split(',').map((name) => name.trim())
  const known = REGISTRY.map(({ name }) => name)
  const unknown = names?.filter((name) => !known.includes(name)) ?? []
  if (unknown.length > 0) {
    throw new Error(`--only: there is no ${unknown.join(', ')}; there are ${known.join(', ')}`)
  }
  const chosen = REGISTRY.filter(({ name }) => names?.includes(name) ?? true)
  return {
    entries: chosen.map((entry) => ({ ...entry, rounds: rounds ?? entry.rounds })),
    isWhole: names === undefined,
  }
}
