import { fork } from 'node:child_process'
import { once } from 'node:events'

const FLAG = '--alone'
/**
 * In addition to its longest call, a job needs time to start its process. One that hangs must not keep the others
 * out.
 */
export const MARGIN_MS = 90_000

/** The job that this process was started for, if it was started for only one. */
export function isolatedJob(): unknown {
  const at = process.argv.indexOf(FLAG)
  return at < 0 ? undefined : (JSON.parse(process.argv[at + 1] ?? 'null') as unknown)
}

/** The workers that this process was started for, if one file is the program of several. */
export function workerNames(): string[] {
  const at = process.argv.indexOf(FLAG)
  return process.argv.slice(2, at < 0 ? undefined : at)
}

/**
 * Runs a job in a process of its own, from the same file as this one. Only this shows which job ends its process, and
 * which jobs merely ran beside it.
 *
 * @param worker the job's worker, because one file may run several
 * @param longestCallMs how long a job may take with the configured time-outs
 * @returns true if that process crashed or hung, false if it was ended from outside
 */
export async function crashesIsolated(
  worker: string,
  data: unknown,
  longestCallMs: number,
): Promise<boolean> {
  const child = fork(process.argv[1] ?? '', [worker, FLAG, JSON.stringify(data)], {
    killSignal: 'SIGKILL',
    timeout: longestCallMs + MARGIN_MS,
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  const wasEnded = signal === 'SIGKILL' || signal === 'SIGTERM' || signal === 'SIGINT'
  // After its time, this process has ended it: without being counted, a row that hangs would be tried for ever.
  return code !== 0 && (child.killed || !wasEnded)
}
