import { existsSync, readFileSync } from 'node:fs'
import type { Mutant } from './mutant.js'

/** @throws Error if the text that it replaces is not in its file exactly once */
export function mutate({ file, find, replace }: Mutant, text = readFileSync(file, 'utf8')): string {
  const [before, after, ...more] = text.split(find)
  if (before === undefined || after === undefined)
    throw new Error(`${file} has no such text any more: ${find}`)
  if (more.length > 0) throw new Error(`${file} has this text more than once: ${find}`)
  return before + replace + after
}

/** Reports the mutants that no longer fit the code, in one sentence each. */
export function findStale(mutants: readonly Mutant[]): string[] {
  return mutants.flatMap((mutant) => {
    const gone = [mutant.file, ...mutant.tests].filter((path) => !existsSync(path))
    if (gone.length > 0) return [`“${mutant.breaks}”: ${gone.join(', ')} is not there`]
    try {
      mutate(mutant)
      return []
    } catch (error) {
      return [`“${mutant.breaks}”: ${(error as Error).message}`]
    }
  })
}
