import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { experiment, type Result } from './experiment.js'
import type { Fault } from './fault.js'
import { findMissed } from './goals.js'
import { createTemplate } from './stores.js'

export interface Outcome {
  results: Result[]
  /** A sentence for each experiment that was not run, or that broke. */
  notRun: string[]
}

/** An installation of so many processes runs alone, because beside others it would measure the machine. */
const CROWD = 10

/** Runs every fault with every seed, some at the same time, each on an installation of its own. */
export async function runAll(
  faults: readonly Fault[],
  seeds: readonly number[],
  { folder, parallel, say }: { folder: string; parallel: number; say: (line: string) => void },
): Promise<Outcome> {
  mkdirSync(folder, { recursive: true })
  const template = join(folder, 'template')
  await createTemplate(template)
  const notRun: string[] = []
  const results: Result[] = []
  const waiting = faults.flatMap((fault) => seeds.map((seed) => ({ fault, seed })))
  const runOne = async ({ fault, seed }: { fault: Fault; seed: number }): Promise<void> => {
    const reason = fault.missing?.()
    if (reason !== undefined) notRun.push(`${fault.name}: not run: ${reason}`)
    else {
      try {
        const result = await experiment(fault, seed, { folder, template, say })
        results.push(result)
        const missed = findMissed(fault, result).map((goal) => `${goal} ${Math.round(result.score[goal])}`)
        say(`${fault.name} (seed ${seed}): ${missed.length === 0 ? 'every goal was met' : missed.join(', ')}`)
      } catch (error) {
        notRun.push(`${fault.name} (seed ${seed}) broke: ${String(error)}`)
        // A failed fetch says only in its cause what happened.
        say(inspect(error))
      }
    }
  }
  const [crowds, others] = [waiting.filter(isCrowd), waiting.filter((turn) => !isCrowd(turn))]
  await inParallel(others, parallel, runOne)
  await inParallel(crowds, 1, runOne)
  const place = ({ fault, seed }: Result) => faults.findIndex(({ name }) => name === fault) * 1000 + seed
  return { results: results.sort((a, b) => place(a) - place(b)), notRun }
}

function isCrowd({ fault }: { fault: Fault }): boolean {
  if (fault.load === 'small') return true
  const counts = Object.values(fault.layout?.copies ?? {})
  return counts.reduce((sum, count) => sum + count, 0) >= CROWD
}

async function inParallel<T>(
  items: readonly T[],
  count: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  const waiting = [...items]
  const next = async (): Promise<void> => {
    const item = waiting.shift()
    if (item === undefined) return
    await run(item)
    return next()
  }
  await Promise.all(Array.from({ length: count }, next))
}
