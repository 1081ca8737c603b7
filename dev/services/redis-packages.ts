import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { environmentOf, unpackPackages } from './debian-packages.js'

export interface RedisProgram {
  command: string
  env: NodeJS.ProcessEnv
}

/**
 * Finds Redis or Valkey on the PATH. Otherwise it unpacks Debian's packages below `cacheFolder`, once. Nothing is installed,
 * so this needs no root and leaves the system as it is.
 */
export async function findRedis(
  cacheFolder: string,
  log: (line: string) => void,
  signal?: AbortSignal,
): Promise<RedisProgram> {
  const installed = onPath('redis-server') ?? onPath('valkey-server')
  if (installed) return { command: installed, env: { ...process.env, LC_ALL: 'C' } }

  const unpacked = join(cacheFolder, 'redis')
  if (!runs(await programIn(unpacked))) {
    if (!onPath('apt-get') || !onPath('dpkg')) throw new Error(waysOut('there is no redis-server on PATH'))
    log(`Redis: none on PATH, unpacking Debian's packages into ${unpacked}`)
    await unpackPackages('redis-server', cacheFolder, unpacked, signal).catch((error: unknown) => {
      const { message, stderr } = error as { message: string; stderr?: string }
      throw new Error(waysOut(`Debian's packages could not be unpacked: ${stderr?.trim() || message}`), {
        cause: error,
      })
    })
  }
  const program = await programIn(unpacked)
  if (!runs(program)) throw new Error(waysOut(`the unpacked ${program.command} does not run`))
  return program
}

function waysOut(reason: string): string {
  return (
    `no embedded Redis: ${reason}\nEither set REDIS_URL, or install redis-server or valkey-server, ` +
    'or use compose.yaml.'
  )
}

export function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

async function programIn(unpacked: string): Promise<RedisProgram> {
  return { command: join(unpacked, 'usr/bin/redis-server'), env: await environmentOf(unpacked) }
}

/** A cache may be older than the system on which it is used, so the program is tried each time (5 ms). */
function runs({ command, env }: RedisProgram): boolean {
  return existsSync(command) && spawnSync(command, ['--version'], { env }).status === 0
}
