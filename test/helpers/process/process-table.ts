import { readdirSync, readlinkSync } from 'node:fs'

/** undefined: it is gone. (A process that nobody waits for stays as a zombie, which has no working folder.) */
export function workingFolder(pid: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return undefined
  }
}

/** Who works in the folder or below; on Linux only, elsewhere nobody is seen. */
export function processesBelow(folder: string): number[] {
  const pids = process.platform === 'linux' ? readdirSync('/proc').map(Number).filter(Number.isInteger) : []
  return pids.filter((pid) => workingFolder(pid)?.startsWith(folder))
}
