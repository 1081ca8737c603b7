/** Makes everything that a fault leaves to chance. The same seed makes the same plan. */
export interface Random {
  between(min: number, max: number): number
  whole(min: number, max: number): number
  pick<T>(choices: readonly T[]): T
}

/** The generator is mulberry32, which is small, and good enough to choose moments. */
export function seeded(seed: string): Random {
  let state = 2166136261
  for (const character of seed) state = Math.imul(state ^ (character.codePointAt(0) ?? 0), 16777619)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
  const between = (min: number, max: number) => min + next() * (max - min)
  const whole = (min: number, max: number) => Math.floor(between(min, max + 1))
  return {
    between,
    whole,
    pick: <T>(choices: readonly T[]) => {
      const choice = choices[whole(0, choices.length - 1)]
      if (choice === undefined) throw new Error('nothing to choose from')
      return choice
    },
  }
}
