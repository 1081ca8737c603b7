import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { isAlive } from './started.js'

/** A folder in which a stranger starts Linehook: the compiled program, with nothing configured. */
export function createStartFolder(files = ['package.json', 'Procfile', 'node_modules']): string {
  mkdirSync('.data', { recursive: true })
  const folder = mkdtempSync(resolve('.data/start-test-'))
  cpSync('dist', join(folder, 'dist'), { recursive: true })
  for (const file of files) symlinkSync(resolve(file), join(folder, file))
  // Unpacked once for all tests; a fresh folder would download Redis again.
  mkdirSync(join(folder, '.data'))
  if (existsSync('.data/packages')) symlinkSync(resolve('.data/packages'), join(folder, '.data/packages'))
  return folder
}

/** The processes of Postgres and Redis that were started in this folder, unless they have ended as they should. */
export function servicePids(folder: string): number[] {
  return ['postgres/cluster/postmaster.pid', 'redis/redis.pid']
    .map((file) => join(folder, '.data', file))
    .filter((file) => existsSync(file))
    .map((file) => Number.parseInt(readFileSync(file, 'utf8'), 10))
}

/** A test that failed may have killed what would stop them. */
export function removeStartFolder(folder: string): void {
  for (const pid of servicePids(folder).filter(isAlive)) process.kill(pid, 'SIGKILL')
  rmSync(folder, { recursive: true, force: true })
}
