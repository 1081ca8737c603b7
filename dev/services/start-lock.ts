import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../../src/errors.js'
import { DATA_FOLDER, makeDataFolder } from './embedded.js'

const lock = join(DATA_FOLDER, 'start.pid')

/**
 * Allows one start at a time in a folder, because two would share its Postgres. If the process that held the lock has
 * ended, the lock is taken over.
 *
 * @returns a function that gives the lock back, or the id of the process that holds it
 */
export function takeStartLock(): { release: () => void } | { heldBy: number } {
  makeDataFolder()
  const own = `${lock}.${process.pid}`
  // The lock appears together with its content: a process that read an empty one would think that its holder has ended.
  rmSync(own, { force: true })
  writeFileSync(own, String(process.pid))
  try {
    const heldBy = link(own, lock)
    return heldBy === undefined ? { release } : { heldBy }
  } finally {
    rmSync(own, { force: true })
  }
}

function release(): void {
  rmSync(lock, { force: true })
}

/** @returns the id of the process that holds this lock or is just taking it over, or undefined if it is ours now */
function link(own: string, path: string): number | undefined {
  for (;;) {
    try {
      linkSync(own, path)
      return undefined
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
    }
    const holder = holderOf(path)
    if (holder === undefined) continue
    if (isStart(holder)) return holder
    // Only one process at a time removes an old lock, and it checks again first: it may be another process's new lock.
    const guard = `${path}.old`
    const remover = link(own, guard)
    if (remover !== undefined) return remover
    try {
      const now = holderOf(path)
      if (now !== undefined && !isStart(now)) rmSync(path)
    } finally {
      rmSync(guard)
    }
  }
}

/** @returns undefined if the lock has just been given back */
function holderOf(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8'))
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** True if the process lives and, where that can be seen, is Linehook. After a reboot another process may have its id. */
function isStart(pid: number): boolean {
  if (!Number.isInteger(pid) || pid < 1 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error
    return false
  }
  try {
    return isLinehook(pid, readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ESRCH', 'EACCES')) throw error
    return pid !== 1
  }
}

/**
 * Process 1 is the system's or the container's init, whose own command line may contain the command that it runs, as that
 * of docker-init does. In a container without an init it is Linehook itself.
 *
 * @param commandLine as /proc has it: the program and its arguments, each followed by a zero byte
 */
export function isLinehook(pid: number, commandLine: string): boolean {
  const [program = '', ...args] = commandLine.split('\0')
  return args.some((each) => each.includes('linehook')) && (pid !== 1 || /(^|\/)node\d*$/.test(program))
}
