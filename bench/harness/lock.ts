import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Allows one run at a time in a folder. A second run would stop the services of the first one, because it would take them
 * for what a killed run has left.
 *
 * @throws Error when another run has the folder
 */
export function takeLock(folder: string): void {
  const path = join(folder, 'pid')
  const holder = readPid(path)
  if (holder !== undefined && holder !== process.pid && isAlive(holder)) {
    throw new Error(`a bench runs here already (process ${holder}); if it is none, delete ${path}`)
  }
  mkdirSync(folder, { recursive: true })
  writeFileSync(path, String(process.pid))
}

function readPid(path: string): number | undefined {
  try {
    return Number(readFileSync(path, 'utf8')) || undefined
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
