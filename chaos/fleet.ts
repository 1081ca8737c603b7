import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { resolve } from 'node:path'
import type { Environment } from '../test/helpers/process/environment.js'
import {
  runSource,
  sourceOf,
  type ProcessName,
  type RunningProcess,
} from '../test/helpers/process/processes.js'
import { until } from '../test/helpers/until.js'

/** The supervisor of `npm start` waits so long too. */
const RESTART_MS = 500
const START_LIMIT_MS = 120_000
const CLOCK = pathToFileURL(resolve('chaos/clock-offset.js')).href

/** One process of the Procfile. It is started again whenever it ends, as by a supervisor. */
export interface Copy {
  name: ProcessName
  /** Sends it this signal. Resolves when it has ended; the next one is then started. */
  kill(signal: NodeJS.Signals): Promise<void>
  /** Stops it: it keeps its connections and does nothing. */
  freeze(): void
  wake(): void
  /** Resolves when the present process says that it has started. */
  whenStarted(): Promise<void>
  /** Of the present process. */
  pid(): number
  /** How often it ended without being told to. */
  crashCount(): number
  /** What this process and the ones before it wrote. */
  output(): string[]
  /** Kills it for good, at the end of the run. */
  end(): Promise<void>
}

export function startCopy(name: ProcessName, environment: Environment, clockMs = 0): Copy {
  const past: string[] = []
  let isOver = false
  let isExpected = false
  let crashes = 0
  const launch = () =>
    runSource(sourceOf(name), clockMs === 0 ? environment : withClock(environment, clockMs), { name })
  let current = launch()

  const supervise = async (running: RunningProcess): Promise<void> => {
    await running.exitCode
    past.push(...running.lines)
    if (isOver) return
    if (!isExpected) crashes += 1
    isExpected = false
    await sleep(RESTART_MS)
    // `end` may have been called meanwhile.
    if (isOver as boolean) return
    current = launch()
    void supervise(current)
  }
  void supervise(current)

  return {
    name,
    kill: async (signal) => {
      isExpected = true
      await current.kill(signal)
    },
    freeze: () => {
      process.kill(current.pid, 'SIGSTOP')
    },
    wake: () => {
      process.kill(current.pid, 'SIGCONT')
    },
    whenStarted: async () => {
      await until(
        () => `${name} has started; it said:\n${current.lines.join('\n')}`,
        () => current.isRunning() && current.log().some(({ msg }) => msg === 'process.started'),
        START_LIMIT_MS,
      )
    },
    pid: () => current.pid,
    crashCount: () => crashes,
    output: () => [...past, ...(current.isRunning() ? current.lines : [])],
    end: async () => {
      isOver = true
      if (current.isRunning()) await current.kill('SIGKILL')
    },
  }
}

function withClock(environment: Environment, clockMs: number): Environment {
  return { ...environment, NODE_OPTIONS: `--import ${CLOCK}`, CHAOS_CLOCK_OFFSET_MS: String(clockMs) }
}
