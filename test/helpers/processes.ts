import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { freePort } from '../../dev/free-port.js'
import type { Environment } from './environment.js'
import { until } from './until.js'

const SOURCES = {
  web: 'src/server.ts',
  'send-message': 'workers/send-message.ts',
  'deliver-event': 'workers/deliver-event.ts',
  maintenance: 'workers/maintenance.ts',
}

export type ProcessName = keyof typeof SOURCES

export interface RunningProcess {
  name: string
  pid: number
  /** What it wrote to standard output and error, line by line. */
  lines: string[]
  /** Its log lines, parsed. */
  log(): Record<string, unknown>[]
  exitCode: Promise<number | null>
  kill(signal: NodeJS.Signals): Promise<void>
}

const running = new Set<ChildProcess>()

/** Starts one process of the Procfile from its source and waits until it says that it has started. */
export async function startProcess(name: ProcessName, environment: Environment): Promise<RunningProcess> {
  const started = runNode(name, ['--import', 'tsx', SOURCES[name]], {
    LOG_LEVEL: 'info',
    ...withLog(environment),
  })
  await until(
    `${name} has started:\n${started.lines.join('\n')}`,
    () => started.log().some(({ msg }) => msg === 'process.started'),
    20_000,
  )
  return started
}

/** The test configuration is silent, but a process is known by its log. */
function withLog(environment: Environment): Environment {
  return environment.LOG_LEVEL === 'silent' ? { ...environment, LOG_LEVEL: 'info' } : environment
}

/** `web` on a free port. */
export async function startWeb(environment: Environment): Promise<RunningProcess & { url: string }> {
  const port = environment.PORT ?? String(await freePort())
  const web = await startProcess('web', { ...environment, PORT: port })
  return { ...web, url: `http://127.0.0.1:${port}` }
}

/** Runs node with only this environment (and PATH). `stopProcesses` ends whatever is left. */
export function runNode(
  name: string,
  args: string[],
  environment: Environment,
  cwd?: string,
): RunningProcess {
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(cwd === undefined ? {} : { cwd }),
  })
  running.add(child)
  const exited = once(child, 'exit').then(() => {
    running.delete(child)
    return child.exitCode
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on('line', (line) => lines.push(line))
  }
  return {
    name,
    pid: child.pid ?? 0,
    lines,
    log: () =>
      lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line) as Record<string, unknown>] : [])),
    exitCode: exited,
    kill: async (signal) => {
      child.kill(signal)
      await exited
    },
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
