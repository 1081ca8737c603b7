import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../../dev/services/free-port.js'
import { readSources } from '../../../dev/start/supervise.js'
import type { QueueName } from '../../../src/queues/queues.js'
import type { Environment } from './environment.js'
import { until } from '../until.js'

const sources = readSources()

/** As in the Procfile. */
export type ProcessName = 'web' | QueueName | 'receive-smpp'

export interface RunningProcess {
  name: string
  pid: number
  /** What it wrote, line by line; `lines` are both, as they came. */
  lines: string[]
  outputLines: string[]
  errorLines: string[]
  /** Its log lines, parsed. */
  log(): Record<string, unknown>[]
  isRunning(): boolean
  /** null: a signal ended it. All of its output has been read by then. */
  exitCode: Promise<number | null>
  /** Resolves when it has ended. */
  kill(signal: NodeJS.Signals): Promise<void>
}

export type RunningWeb = RunningProcess & { url: string }

const running = new Set<ChildProcess>()

/** It takes a second of a processor, which a busy machine may not have for long. */
const START_MS = 120_000

/** Starts one process of the Procfile and waits until it says that it has started. */
export async function startProcess(name: ProcessName, environment: Environment): Promise<RunningProcess> {
  const started = runSource(sourceOf(name), withLog(environment), { name })
  await untilStarted(started)
  return started
}

async function untilStarted(started: RunningProcess, count = 1): Promise<void> {
  const said = () => `${started.name} says that it has started; it said:\n${started.lines.join('\n')}`
  const saidAll = () => started.log().filter(({ msg }) => msg === 'process.started').length === count
  await until(said, () => !started.isRunning() || saidAll(), START_MS)
  if (!started.isRunning()) throw new Error(`ended instead: ${said()}`)
}

/**
 * Workers of the Procfile in one process, as `linehook start --small` runs them: for a story in which none of them ends
 * alone. Each process takes more than a second of a processor to start.
 */
export async function startWorkers(
  names: readonly ProcessName[],
  environment: Environment,
): Promise<RunningProcess> {
  const started = runSource('workers/all.ts', withLog(environment), { name: 'workers', args: names })
  await untilStarted(started, names.length)
  return started
}

/** The source of a process of the Procfile, for `runSource`. */
export function sourceOf(name: ProcessName): string {
  const source = sources.get(name)
  if (source === undefined) throw new Error(`the Procfile has no ${name}`)
  return source
}

/** The test configuration is silent, but a process is known by its log. */
function withLog(environment: Environment): Environment {
  return environment.LOG_LEVEL === 'silent' ? { ...environment, LOG_LEVEL: 'info' } : environment
}

/** `web`, on a free port unless the environment names one. */
export async function startWeb(environment: Environment): Promise<RunningWeb> {
  const port = environment.PORT ?? String(await freePort())
  const web = await startProcess('web', { ...environment, PORT: port })
  return { ...web, url: `http://127.0.0.1:${port}` }
}

/** Runs what `compile` made of a TypeScript file. `stopProcesses` ends it if it has not ended by then. */
export function runSource(
  path: string,
  environment: Environment,
  {
    name = path,
    args = [],
    cwd,
    input,
  }: { name?: string; args?: readonly string[]; cwd?: string; input?: string } = {},
): RunningProcess {
  const script = fileURLToPath(new URL(`../../../dist/${path.replace(/\.tsx?$/, '.js')}`, import.meta.url))
  return runNode(name, [script, ...args], environment, cwd, input)
}

/**
 * Runs node with only this environment (and PATH). `stopProcesses` ends it if it has not ended by then.
 *
 * @param input what it reads from standard input
 */
export function runNode(
  name: string,
  args: readonly string[],
  environment: Environment,
  cwd?: string,
  input = '',
): RunningProcess {
  return runProgram(name, [process.execPath, ...args], environment, { cwd, input })
}

/** As `runNode`, any program. `isLeader`: of a process group of its own, as in the foreground of a terminal. */
export function runProgram(
  name: string,
  [program = '', ...args]: readonly string[],
  environment: Environment,
  {
    cwd,
    input = '',
    isLeader = false,
  }: { cwd?: string | undefined; input?: string; isLeader?: boolean } = {},
): RunningProcess {
  const child = spawn(program, args, {
    cwd,
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: isLeader,
  })
  // One that ends at once does not read it.
  child.stdin.on('error', () => undefined).end(input)
  running.add(child)
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const closed = once(child, 'close').then(() => {
    running.delete(child)
    return child.exitCode
  })
  const lines: string[] = []
  const read = (stream: NodeJS.ReadableStream) => {
    const own: string[] = []
    createInterface({ input: stream }).on('line', (line) => {
      own.push(line)
      lines.push(line)
    })
    return own
  }
  return {
    name,
    pid: child.pid ?? 0,
    lines,
    outputLines: read(child.stdout),
    errorLines: read(child.stderr),
    log: () => lines.flatMap(parseLogLine),
    isRunning,
    exitCode: closed,
    kill: async (signal) => {
      child.kill(signal)
      await closed
    },
  }
}

/** What a process said on standard error, without oidc-provider's advice to run on a newer Node. */
export function withoutAdvice(errorLines: readonly string[]): string[] {
  return errorLines.filter((line) => !line.includes('oidc-provider WARNING: Unsupported runtime'))
}

/** A process that is killed may leave half a line behind. */
function parseLogLine(line: string): Record<string, unknown>[] {
  if (!line.startsWith('{')) return []
  try {
    return [JSON.parse(line) as Record<string, unknown>]
  } catch {
    return []
  }
}

/** For `after`: no process that a test file started outlives it. */
export async function stopProcesses(): Promise<void> {
  await Promise.all(
    [...running].map(async (child) => {
      if (child.exitCode !== null || child.signalCode !== null) return
      child.kill('SIGKILL')
      await once(child, 'exit')
    }),
  )
}
