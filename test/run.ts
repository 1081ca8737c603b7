import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { compileProject } from '../dev/compile.js'

/**
 * `npm test`. As many files at a time as leave none of CI's two cores idle: chaos, and then journeys and browsers, which
 * start whole installations and often wait, beside the short tests. Those of the other folders start programs too, and are
 * there because both rows should end together. Arguments go to every run: `npm test -- --grep receipt`.
 */
const atOnce = (files: number) => ['--parallel', '--jobs', String(files)]
const LONG = ['journeys', 'browser', 'dev', 'bin', 'clients'].map((folder) => `test/${folder}/**/*.test.ts`)
const CHAOS = 'test/chaos/**/*.test.ts'
/** `npm run test:cluster`: forty processes, and programs of Debian. */
const CLUSTER = 'test/cluster/**/*.test.ts'
const SHORT = [...[...LONG, CHAOS, CLUSTER].flatMap((each) => ['--ignore', each]), 'test/**/*.test.ts']
const SLOWEST_SHOWN = 15
/** The rows side by side, and the runs of a row one after the other. */
const ROWS = [
  [{ name: 'short tests', args: [...atOnce(2), ...SHORT] }],
  [
    { name: 'chaos', args: [CHAOS] },
    { name: 'journeys, browsers and programs', args: [...atOnce(2), ...LONG] },
  ],
]

const folder = mkdtempSync(join(tmpdir(), 'linehook-test-'))
const interruption = new AbortController()
const running = new Set<ChildProcess>()
// Ctrl-C reaches mocha by itself; it stops its services first.
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    interruption.abort()
    if (signal === 'SIGTERM') for (const mocha of running) mocha.kill(signal)
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
await compileProject(['chaos', 'test'])
await Promise.all(
  ROWS.map(async (row, index) => {
    // The first row is shown as it runs, and of the others each run when it has ended.
    for (const run of row) if (!interruption.signal.aborted) await runMocha(run, index === 0)
  }),
)
rmSync(folder, { recursive: true, force: true })
const slowest = took.sort(([, a], [, b]) => b - a).slice(0, SLOWEST_SHOWN)
console.log('The slowest files, in seconds of their tests:')
for (const [file, ms] of slowest) console.log(`${(ms / 1000).toFixed(1).padStart(7)} ${relative('.', file)}`)
// Once more at the end, where a log of some thousand lines is read first.
for (const { test, file, reason } of failed) console.log(`\nfailed: ${test}\n${file ?? ''}\n${reason}`)
console.log(`${passed} passed, ${failed.length} failed`)

async function runMocha({ name, args }: { name: string; args: string[] }, isShown: boolean): Promise<void> {
  const counts = join(folder, name)
  const begin = Date.now()
  const mocha = spawn(
    process.execPath,
    ['node_modules/mocha/bin/mocha.js', ...args, ...process.argv.slice(2)],
    {
      stdio: isShown ? 'inherit' : ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TEST_COUNTS: counts, TEST_COMPILED: 'true' },
    },
  )
  running.add(mocha)
  const [[exitCode], output] = await Promise.all([
    once(mocha, 'exit') as Promise<[number | null]>,
    mocha.stdout === null ? '' : text(mocha.stdout),
  ])
  running.delete(mocha)
  if (exitCode !== 0) process.exitCode = 1
  const result = readCounts(counts)
  console.log(`${output}${name} took ${Math.round((Date.now() - begin) / 1000)} s\n`)
  passed += result.passes
  failed.push(...result.failed)
  took.push(...Object.entries(result.took))
}

/** Nothing of a run that did not come to its end; its exit code says so. */
function readCounts(file: string): Counts {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Counts
  } catch {
    return { passes: 0, failed: [], took: {} }
  }
}
