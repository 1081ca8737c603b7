import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The outcome of a run of tests. */
export interface TestRun {
  /** True if every test passed, and everything that they started has ended. */
  isGood: boolean
  /** True if the run got far enough to count tests. */
  hasCounts: boolean
  isTooLate: boolean
  output: string
}

interface TestOptions {
  limitMs: number
  signal: AbortSignal
}

/** A copy of the project, whose files may be changed: a run that is interrupted leaves the project itself as it was. */
export interface CopiedProject {
  read(file: string): string
  write(file: string, text: string): void
  test(files: readonly string[], options: TestOptions): Promise<TestRun>
  remove(): void
}

const SHARED = ['node_modules', '.data']

export function copyProject(): CopiedProject {
  const folder = mkdtempSync(join(tmpdir(), 'linehook-mutants-'))
  mkdirSync('.data', { recursive: true })
  for (const name of SHARED) symlinkSync(resolve(name), join(folder, name))
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'])
  for (const file of listed.toString().split('\0')) {
    // git also lists a file that was deleted, if that is not committed yet.
    if (file !== '' && existsSync(file)) cpSync(file, join(folder, file))
  }

  return {
    read: (file) => readFileSync(join(folder, file), 'utf8'),
    write: (file, text) => {
      writeFileSync(join(folder, file), text)
    },
    test: (files, options) => runMocha(folder, files, options),
    remove: () => {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function runMocha(
  folder: string,
  files: readonly string[],
  { limitMs, signal }: TestOptions,
): Promise<TestRun> {
  const counts = join(folder, 'counts')
  rmSync(counts, { force: true })
  const mocha = spawn(process.execPath, ['node_modules/mocha/bin/mocha.js', '--bail', ...files], {
    cwd: folder,
    env: { ...process.env, TEST_COUNTS: counts },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const output: Buffer[] = []
  for (const stream of [mocha.stdout, mocha.stderr]) stream.on('data', (piece: Buffer) => output.push(piece))
  let isTooLate = false
  /** On SIGINT mocha ends its Postgres and Redis too. */
  const stop = () => mocha.kill('SIGINT')
  const timer = setTimeout(() => {
    isTooLate = true
    stop()
  }, limitMs)
  signal.addEventListener('abort', stop)
  const [exitCode] = (await once(mocha, 'close')) as [number | null]
  clearTimeout(timer)
  signal.removeEventListener('abort', stop)
  const text = Buffer.concat(output).toString()
  return { isGood: exitCode === 0, hasCounts: hasTests(counts), isTooLate, output: text }
}

/** @param counts the file that `test/helpers/reporter.cjs` writes */
function hasTests(counts: string): boolean {
  if (!existsSync(counts)) return false
  const { passes, failed } = JSON.parse(readFileSync(counts, 'utf8')) as { passes: number; failed: unknown[] }
  return passes + failed.length > 0
}
