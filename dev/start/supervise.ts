import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

export interface ProcessType {
  name: string
  command: string[]
  /** The variables that only this process gets. */
  env?: Record<string, string>
}

export interface Supervisor {
  /** Sends SIGTERM to all and waits for them. A process that has not ended at the deadline is killed. */
  stop(): Promise<void>
}

/** Without a pause, a process that ends right after its start (a wrong setting) would occupy a whole processor. */
const RESTART_MS = 500
/** A process ends by itself 24 s after SIGTERM (`src/kit/process/shutdown.ts`). One that is still there hangs. */
const STOP_MS = 26_000

/** The process types of the Procfile. `release` is left out, because it does not stay. */
export function readProcfile(path = 'Procfile'): ProcessType[] {
  return readFileSync(path, 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [, name, command] = /^([\w-]+):\s*(.+)$/.exec(line.trim()) ?? []
      return name !== undefined && command !== undefined && name !== 'release'
        ? [{ name, command: command.split(/\s+/) }]
        : []
    })
}

/** The source that each process of the Procfile is built from, by its name. */
export function readSources(path?: string): Map<string, string> {
  return new Map(readProcfile(path).map(({ name, command: [, file = ''] }) => [name, sourceOf(file)]))
}

/** Returns the same process, run from its source. Node restarts it when a source changes. */
export function fromSources({ command, ...type }: ProcessType): ProcessType {
  const [program = 'node', ...args] = command
  return { ...type, command: [program, '--watch', '--import', 'tsx', ...args.map(sourceOf)] }
}

const WORKER = /^dist\/workers\/(.+)\.js$/

/** Returns the same processes with all workers in one. */
export function joinWorkers(types: readonly ProcessType[]): ProcessType[] {
  const names = types.flatMap(({ command }) => WORKER.exec(command[1] ?? '')?.[1] ?? [])
  if (names.length === 0) return [...types]
  const others = types.filter(({ command }) => !WORKER.test(command[1] ?? ''))
  return [...others, { name: 'workers', command: ['node', 'dist/workers/all.js', ...names] }]
}

/** Returns the same processes, each with a port for its metrics: `first`, and those after it. */
export function withMetricsPorts(types: readonly ProcessType[], first: number | undefined): ProcessType[] {
  if (first === undefined) return [...types]
  return types.map((type, n) => ({ ...type, env: { ...type.env, METRICS_PORT: String(first + n) } }))
}

function sourceOf(built: string): string {
  return built.replace(/^dist\/(.+)\.js$/, '$1.ts')
}

/**
 * Runs processes until `stop`. A process that ends before that is started again, however it ended. (The package
 * concurrently was tried. It takes an exit with 0 for the end of a process, and it kills by means of `ps`, which a
 * bare machine may not have.)
 */
export function supervise(
  types: readonly ProcessType[],
  env: NodeJS.ProcessEnv,
  print: (line: string) => void,
  { stopMs = STOP_MS, restartMs = RESTART_MS } = {},
): Supervisor {
  const stopping = new AbortController()
  const width = Math.max(...types.map(({ name }) => name.length))
  const children = new Map<string, ChildProcess>()

  const keep = async (type: ProcessType) => {
    for (;;) {
      await runOnce(type)
      // If `stop` is called during this wait, nothing more may be started, because nothing would stop it.
      const isStopping = await sleep(restartMs, false, { signal: stopping.signal }).catch(() => true)
      if (isStopping) return
      print(`${type.name.padEnd(width)} │ starting again`)
    }
  }

  const runOnce = async ({ name, command: [program = '', ...args], env: own }: ProcessType) => {
    const child = spawn(program, args, { env: { ...env, ...own }, stdio: ['ignore', 'pipe', 'pipe'] })
    children.set(name, child)
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => {
        print(`${name.padEnd(width)} │ ${line}`)
      })
    }
    await once(child, 'exit').catch((error: unknown) => {
      print(`${name.padEnd(width)} │ could not be started: ${String(error)}`)
    })
  }

  const kept = types.map(keep)
  return {
    stop: async () => {
      stopping.abort()
      signalAll('SIGTERM')
      const killer = setTimeout(() => {
        signalAll('SIGKILL')
      }, stopMs)
      await Promise.all(kept)
      clearTimeout(killer)
    },
  }

  function signalAll(signal: NodeJS.Signals): void {
    for (const child of children.values())
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
  }
}
