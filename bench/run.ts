import { loadavg } from 'node:os'
import { openBench, type Bench } from './harness/bench.js'
import type { Figure } from './measure.js'
import { readOptions, type Options } from './options.js'
import type { Entry } from './registry.js'
import { printTable, sayShortly, writeResults } from './report.js'

/**
 * Runs bounded loads on loopback, each beside the yardstick that it is compared with, because figures differ from machine to
 * machine and ratios do not. It is run by hand: `npm run bench`, `npm run bench -- --only accept,send --rounds 5`. It
 * measures what was built, from outside: by processes of the Procfile, HTTP, SMPP and rows.
 */

/** A higher load before the start means that someone else uses the processors. */
const CALM_LOAD = 0.5

process.exitCode = await run(options())

function options(): Options {
  try {
    return readOptions(process.argv.slice(2))
  } catch (error) {
    console.error((error as Error).message)
    process.exit(2)
  }
}

async function run({ entries, isWhole }: Options): Promise<number> {
  const startedAt = performance.now()
  const loadBefore = loadavg()[0] ?? 0
  if (loadBefore > CALM_LOAD)
    console.error(`others use this machine (load ${loadBefore.toFixed(1)}): times will be too long`)
  const bench = await openBench()
  const interruption = new AbortController()
  const stop = () => {
    interruption.abort()
    void bench.close().finally(() => process.exit(130))
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)

  const { figures, failures } = await measureAll(bench, entries, interruption.signal)
  await bench.close()
  printTable(figures)
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  if (failures.length > 0) console.log(`could not be measured: ${failures.join(', ')}`)
  // The results of a part must not replace those of the whole.
  if (isWhole)
    console.log(`written to ${writeResults(figures, { seconds, loadBefore, notMeasured: failures })}`)
  console.log(`${seconds} s`)
  return failures.length === 0 ? 0 : 1
}

/**
 * Runs one measure after another, because two at a time would measure each other. One that fails does not stop the
 * others.
 */
async function measureAll(
  bench: Bench,
  entries: readonly Entry[],
  interrupted: AbortSignal,
): Promise<{ figures: Figure[]; failures: string[] }> {
  const figures: Figure[] = []
  const failures: string[] = []
  for (const { name, measure, rounds } of entries) {
    console.error(`${name}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'} …`)
    const startedAt = performance.now()
    try {
      const found = await measure(bench, rounds)
      // Figures are printed at once, because a run may be interrupted before its table.
      for (const figure of found) console.error(`  ${sayShortly(figure)}`)
      figures.push(...found)
    } catch (error) {
      // An interruption has ended the processes of this measure, and ends the whole run soon.
      if (interrupted.aborted) return new Promise(() => undefined)
      console.error(error)
      failures.push(name)
    }
    console.error(`  ${Math.round((performance.now() - startedAt) / 1000)} s`)
  }
  return { figures, failures }
}
