import { fork, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { joinWorkers, readProcfile } from '../../dev/start/supervise.js'
import { until } from '../../test/helpers/until.js'

/** A process of the Procfile, or one of the bench. */
export interface Running {
  name: string
  pid: number
  /** When it said that it has started, by the clock of the machine. */
  startedAt: number
  logPath: string
  end(signal?: NodeJS.Signals): Promise<void>
}

const START_LIMIT_MS = 30_000

/** The commands that `npm start` runs, by the names of the processes. */
export const PROCFILE = new Map(readProcfile().map(({ name, command }) => [name, command]))

/** The commands that `npm start -- --small` runs. */
export const SMALL = new Map(joinWorkers(readProcfile()).map(({ name, command }) => [name, command]))

/**
 * Starts a process of the Procfile and waits until it says that it has started. Its log goes to a file, because reading it
 * here would take time of the processor that makes the load.
 */
export async function startFromProcfile(
  name: string,
  environment: Record<string, string>,
  logPath: string,
): Promise<Running> {
  const [, ...args] = PROCFILE.get(name) ?? SMALL.get(name) ?? []
  if (args.length === 0) throw new Error(`the Procfile has no ${name}`)
  const file = openSync(logPath, 'w')
  const child = spawn(process.execPath, args, {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['ignore', file, file],
  })
  closeSync(file)
  const startedAt = await until(
    () => `${name} has started; see ${logPath}`,
    () => {
      if (hasEnded(child)) throw new Error(`${name} ended`)
      return startOf(readFileSync(logPath, 'utf8'))
    },
    START_LIMIT_MS,
  )
  return { name, pid: child.pid ?? 0, startedAt, logPath, end: (signal) => endChild(child, signal) }
}

function startOf(log: string): number | undefined {
  const line = log.split('\n').find((each) => each.includes('"process.started"'))
  const time = line === undefined ? undefined : (JSON.parse(line) as { time: number | string }).time
  return time === undefined ? undefined : new Date(time).getTime()
}

/** Starts a TypeScript file of the bench in a process of its own. */
export function startOwn(file: string, args: readonly string[]): ChildProcess {
  return fork(new URL(`../${file}`, import.meta.url), args)
}

/** The first message that a process of the bench sends. @throws Error when it ends without one */
export async function firstWord<T>(child: ChildProcess): Promise<T> {
  const [word] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => Promise.reject(new Error('it ended without a word'))),
  ])) as [T]
  return word
}

/** Ends a process at once, because nobody needs its work any more. */
export async function endChild(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (hasEnded(child)) return
  child.kill(signal)
  await once(child, 'exit')
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}
