import { openBench } from './harness/bench.js'
import type { Figure } from './measure.js'
import { readOptions, type Options } from './options.js'
import { printTable, writeResults } from './report.js'

/**
 * Bounded loads on loopback, each beside the yardstick that it is compared with: figures move from machine to machine,
 * ratios do not. Run by hand: `npm run bench`, `npm run bench -- --only accept,send --rounds 5`. It measures what was
 * built, from outside: processes of the Procfile, HTTP, SMPP, rows.
 */
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
  const seconds = () => Math.round((performance.now() - startedAt) / 1000)
  const bench = await openBench()
  let isStopped = false
  const stop = () => {
    isStopped = true
    // What is being measured fails when its processes end, and so the run ends.
    void bench.close().finally(() => process.exit(130))
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)

  const figures: Figure[] = []
  const failures: string[] = []
  for (const { name, measure, rounds } of entries) {
    console.error(`${seconds()} s: ${name}, ${rounds} ${rounds === 1 ? 'round' : 'rounds'} …`)
    try {
      figures.push(...(await measure(bench, rounds)))
    } catch (error) {
      if (isStopped) return new Promise(() => undefined)
      console.error(error)
      failures.push(name)
    }
  }
  await bench.close()
  printTable(figures)
  if (failures.length > 0) console.log(`could not be measured: ${failures.join(', ')}`)
  // A part must not take the place of the whole.
  else if (isWhole) console.log(`${seconds()} s, written to ${writeResults(figures, seconds())}`)
  return failures.length === 0 ? 0 : 1
}
