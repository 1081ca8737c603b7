import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { cpus } from 'node:os'
import type { Installation } from './installation.js'

/** The last one: the clients and stand-ins have the others. */
const CORE = cpus().length - 1

/** Why an installation cannot be kept on one processor here; undefined: it can. */
export function whyNotOneProcessor(): string | undefined {
  if (cpus().length < 2) return 'the clients need a processor of their own'
  try {
    execFileSync('taskset', ['-pc', String(process.pid)], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'there is no taskset'
  }
}

/** Keeps all processes of an installation on one processor, for as long as they live. */
export function keepOnOneProcessor({ copies, postgres, redis }: Installation): void {
  for (const pid of [...copies.map((copy) => copy.pid()), ...postgres.pids(), ...redis.pids()])
    execFileSync('taskset', ['-apc', String(CORE), String(pid)], { stdio: 'ignore' })
}

/** Takes that processor away, for this long at most. @returns ends it */
export function keepBusy(loops: number, ms: number): () => void {
  const loop = `const end = Date.now() + ${ms}; while (Date.now() < end);`
  const children = Array.from({ length: loops }, (): ChildProcess =>
    spawn('taskset', ['-c', String(CORE), process.execPath, '-e', loop], { stdio: 'ignore' }),
  )
  return () => {
    for (const child of children) child.kill('SIGKILL')
  }
}
