import { fork } from 'node:child_process'
import { once } from 'node:events'

const FLAG = '--alone'
/**
 * With the usual time-outs no job takes so long (a copy of media has 30 s). A job that hangs must not keep the others out.
 */
const MAX_MS = 120_000

/** The job that this process was started for, if it was started for one only. */
export function onlyJob(): unknown {
  const at = process.argv.indexOf(FLAG)
  return at < 0 ? undefined : (JSON.parse(process.argv[at + 1] ?? 'null') as unknown)
}

/** The workers that this process was started for, where one file is the program of several. */
export function workerNames(): string[] {
  const at = process.argv.indexOf(FLAG)
  return process.argv.slice(2, at < 0 ? undefined : at)
}

/**
 * Runs a job in a process of its own, from the same file as this one. Only this shows which job ends its process, and
 * which jobs were only beside it.
 *
 * @param worker whose job it is: the file may be that of several
 * @returns whether that process crashed; false if it was ended from outside
 */
export async function crashesAlone(worker: string, data: unknown): Promise<boolean> {
  const child = fork(process.argv[1] ?? '', [worker, FLAG, JSON.stringify(data)], {
    killSignal: 'SIGKILL',
    timeout: MAX_MS,
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  const wasEnded = signal === 'SIGKILL' || signal === 'SIGTERM' || signal === 'SIGINT'
  return code !== 0 && !wasEnded
}
