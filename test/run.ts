import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'

/**
 * `npm test`. Two files at a time, which is what CI has cores for; journeys and then browsers by themselves, because they
 * start whole installations and say within which time something must have happened; last and alone chaos, which
 * needs both cores. Arguments go to every run: `npm test -- --grep receipt`.
 */
const TWO_AT_A_TIME = ['--parallel', '--jobs', '2']
const JOURNEYS = 'test/journeys/**/*.test.ts'
const BROWSERS = 'test/browser/**/*.test.ts'
const CHAOS = 'test/chaos/**/*.test.ts'
/** `npm run test:cluster`: forty processes, and programs of Debian. */
const CLUSTER = 'test/cluster/**/*.test.ts'
const SLOWEST_SHOWN = 15
const RUNS = [
  [
    ...TWO_AT_A_TIME,
    ...[JOURNEYS, BROWSERS, CHAOS, CLUSTER].flatMap((each) => ['--ignore', each]),
    'test/**/*.test.ts',
  ],
  [...TWO_AT_A_TIME, JOURNEYS],
  [...TWO_AT_A_TIME, BROWSERS],
  [CHAOS],
]

const folder = mkdtempSync(join(tmpdir(), 'linehook-test-'))
const interruption = new AbortController()
let mocha: ChildProcess | undefined
// Ctrl-C reaches mocha by itself; it stops its services first.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interruption.abort()
    if (signal === 'SIGTERM') mocha?.kill(signal)
  })
}

/** What `test/helpers/reporter.cjs` writes when a run ends. */
interface Counts {
  passes: number
  failed: { test: string; file?: string; reason: string }[]
  /** Milliseconds by file. */
  took: Record<string, number>
}

let passed = 0
const failed: Counts['failed'] = []
const took: [file: string, ms: number][] = []
for (const [index, run] of RUNS.entries()) {
  const counts = join(folder, String(index))
  const begin = Date.now()
  mocha = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', ...run, ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, TEST_COUNTS: counts },
  })
  const [exitCode] = (await once(mocha, 'exit')) as [number | null]
  if (exitCode !== 0) process.exitCode = 1
  const result = readCounts(counts)
  console.log(`${run.at(-1)} took ${Math.round((Date.now() - begin) / 1000)} s\n`)
  passed += result.passes
  failed.push(...result.failed)
  took.push(...Object.entries(result.took))
  if (interruption.signal.aborted) break
}
rmSync(folder, { recursive: true, force: true })
const slowest = took.sort(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN)
console.log('The slowest files, in seconds of their tests:')
for (const [file, ms] of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(7)} ${relative('.', file)}`)
// Once more at the end, where a log of some thousand lines is read first.
for (const { test, file, reason } of failed) console.log(`\nfailed: ${test}\n${file ?? ''}\n${reason}`)
console.log(`${passed} passed, ${failed.length} failed`)

/** Nothing of a run that did not come to its end; its exit code says so. */
function readCounts(file: string): Counts {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Counts
  } catch {
    return { passes: 0, failed: [], took: {} }
  }
}
