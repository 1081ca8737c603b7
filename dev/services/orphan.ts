import { spawnSync } from 'node:child_process'
import { readFileSync, readlinkSync, realpathSync } from 'node:fs'
import { basename } from 'node:path'
import { hasCode } from '../../src/errors.js'
import { stopProcess } from './process.js'

export interface OrphanSearch {
  pidPath: string
  /** The service's working folder. No other process with one of these names runs in it. */
  folder: string
  names: string[]
}

/**
 * Stops a service that a supervisor left behind when it was killed with -9, because two servers would destroy a data
 * folder that they share. The process id in a pid file may belong to another process by now, so the process must also
 * have the service's name and run in the service's folder. (A zombie has no folder any more and counts as ended.)
 */
export async function stopOrphan(search: OrphanSearch, signals: readonly NodeJS.Signals[]): Promise<boolean> {
  const pid = orphanPid(search)
  if (pid === undefined) return false
  await stopProcess(pid, signals, () => !isOurs(pid, search))
  return true
}

function orphanPid(search: OrphanSearch): number | undefined {
  const pid = recordedPid(search.pidPath)
  return pid !== undefined && isOurs(pid, search) ? pid : undefined
}

export function recordedPid(pidPath: string): number | undefined {
  try {
    const pid = Number.parseInt(readFileSync(pidPath, 'utf8'), 10)
    return pid > 1 ? pid : undefined
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    return undefined
  }
}

function isOurs(pid: number, { folder, names }: OrphanSearch): boolean {
  try {
    const { name, workingFolder } = process.platform === 'linux' ? describeLinux(pid) : describeOther(pid)
    return names.includes(name) && workingFolder === realpathSync(folder)
  } catch (error) {
    // The process has ended, or belongs to another user.
    if (!hasCode(error, 'ENOENT', 'ESRCH', 'EACCES', 'EPERM')) throw error
    return false
  }
}

function describeLinux(pid: number): { name: string; workingFolder: string } {
  return {
    name: readFileSync(`/proc/${pid}/comm`, 'utf8').trim(),
    workingFolder: readlinkSync(`/proc/${pid}/cwd`),
  }
}

function describeOther(pid: number): { name: string; workingFolder: string | undefined } {
  const print = (command: string, args: string[]) =>
    // There is no output if the command does not exist.
    (spawnSync(command, args, { encoding: 'utf8' }).stdout as string | null) ?? ''
  const openFolder = print('lsof', ['-a', '-p', String(pid), '-d', 'cwd', '-Fn'])
  return {
    name: basename(print('ps', ['-o', 'comm=', '-p', String(pid)]).trim()),
    workingFolder: /^n(.*)$/m.exec(openFolder)?.[1],
  }
}
