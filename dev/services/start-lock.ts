import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hasCode } from '../../src/errors.js'
import { DATA_FOLDER, makeDataFolder } from './embedded.js'

const path = join(DATA_FOLDER, 'start.pid')

/**
 * Allows one start at a time in a folder, because two would share its Postgres. If the process that had the lock has ended,
 * the lock is taken over.
 *
 * @returns a function that gives the lock back, or the id of the process that holds it
 */
export function takeStartLock(): { release: () => void } | { heldBy: number } {
  makeDataFolder()
  for (;;) {
    try {
      writeFileSync(path, String(process.pid), { flag: 'wx' })
      return {
        release: () => {
          rmSync(path, { force: true })
        },
      }
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw error
      const pid = Number(readFileSync(path, 'utf8'))
      if (isStart(pid)) return { heldBy: pid }
      rmSync(path, { force: true })
    }
  }
}

/** True if the process lives and, where that can be seen, is Node. After a reboot another process may have its id. */
function isStart(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 1 || pid === process.pid) return false
  try {
    process.kill(pid, 0)
  } catch (error) {
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error
    return false
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('linehook')
  } catch (error) {
    if (!hasCode(error, 'ENOENT', 'ESRCH', 'EACCES')) throw error
    return true
  }
}
