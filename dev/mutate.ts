import { parseArgs } from 'node:util'
import { findStale, mutate } from './mutants/check.js'
import { createCompiler } from './mutants/compiler.js'
import { copyProject, type CopiedProject, type TestRun } from './mutants/copied-project.js'
import type { Mutant } from './mutants/mutant.js'
import { MUTANTS } from './mutants.js'

/**
 * `npm run mutate` finds out whether the tests notice mistakes. Each mutant (`dev/mutants/`) in turn is made in a copy of
 * the project, and the tests of its area run against it. If a test fails, the mutant is killed; if none fails, it has
 * survived. A mutant that does not compile is broken: nobody could commit it, so it says nothing about the tests.
 */
type Verdict = 'killed' | 'survived' | 'broken'

/** Tests that a mutant makes run for longer than this have noticed it. */
const LIMIT_MS = 180_000
/** First, the tests of all mutants run together without any change. They must pass, which takes minutes. */
const ALL_LIMIT_MS = 30 * 60_000

/** Errors of Postgres and Redis about invalid code: SQL and Lua files are not compiled before the tests run. */
const NO_PROGRAM =
  /syntax error at|(column|relation|function|operator)\b.* does not exist|Error compiling script/

const { values: options } = parseArgs({ options: { only: { type: 'string' }, list: { type: 'boolean' } } })
const chosen = MUTANTS.filter(({ breaks }) => breaks.includes(options.only ?? ''))

if (options.list === true) for (const { breaks, file } of chosen) console.log(`${file}: ${breaks}`)
else process.exitCode = await run(chosen)

/** @returns the exit code */
async function run(mutants: readonly Mutant[]): Promise<number> {
  const faults = mutants.length === 0 ? ['No mutant has this name'] : findStale(mutants)
  if (faults.length === 0) faults.push(...findUncompilable(mutants))
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) return 1

  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      interruption.abort()
    })
  }
  const project = copyProject()
  try {
    return await runAll(project, mutants, interruption.signal)
  } finally {
    project.remove()
  }
}

async function runAll(
  project: CopiedProject,
  mutants: readonly Mutant[],
  signal: AbortSignal,
): Promise<number> {
  const startedAt = performance.now()
  const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))]
  console.log(`${tests.length} test files without a mutant`)
  const { isGood, output } = await project.test(tests, { limitMs: ALL_LIMIT_MS, signal })
  if (!isGood) {
    console.error(`${output}\nThese tests must pass before mutants are tried`)
    return 1
  }

  const counts = { killed: 0, survived: 0, broken: 0 }
  for (const mutant of mutants) {
    const triedAt = performance.now()
    const original = project.read(mutant.file)
    project.write(mutant.file, mutate(mutant, original))
    const run = await project.test(mutant.tests, { limitMs: LIMIT_MS, signal })
    project.write(mutant.file, original)
    if (signal.aborted) return 1
    const verdict = judge(run)
    counts[verdict] += 1
    const seconds = ((performance.now() - triedAt) / 1000).toFixed(0).padStart(3)
    console.log(`${verdict.padEnd(8)} ${seconds} s  ${mutant.breaks} (${mutant.file})`)
    if (verdict === 'broken') console.error(run.output)
  }
  const minutes = ((performance.now() - startedAt) / 60_000).toFixed(1)
  console.log(
    `${counts.killed} killed, ${counts.survived} survived, ${counts.broken} broken, in ${minutes} min`,
  )
  return counts.killed === mutants.length ? 0 : 1
}

function judge({ isGood, hasCounts, isTooLate, output }: TestRun): Verdict {
  // A run that was stopped halfway has no failure yet, so it would count as good.
  if (isTooLate) return 'killed'
  if (isGood) return 'survived'
  return hasCounts && !NO_PROGRAM.test(output) ? 'killed' : 'broken'
}

/** Mutants of different files are compiled together, because each run of the compiler takes seconds. */
function findUncompilable(mutants: readonly Mutant[]): string[] {
  const compile = createCompiler()
  const faults: string[] = []
  let rest = mutants.filter(({ file }) => /\.tsx?$/.test(file))
  while (rest.length > 0) {
    const round = new Map(rest.map((mutant) => [mutant.file, mutant]))
    const texts = new Map([...round].map(([file, mutant]) => [file, mutate(mutant)]))
    for (const [file, error] of compile(texts)) faults.push(`“${round.get(file)?.breaks ?? file}”: ${error}`)
    rest = rest.filter((mutant) => round.get(mutant.file) !== mutant)
  }
  return faults
}
