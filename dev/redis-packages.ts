import { execFile, spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

export interface RedisProgram {
  command: string
  env: NodeJS.ProcessEnv
}

const run = promisify(execFile)
const aptLimitMs = 180_000

/**
 * Redis or Valkey from PATH, else Debian's packages unpacked (not installed) below `cacheFolder`: that needs no
 * root, leaves the system as it is, and is done once.
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
    await unpackPackages(cacheFolder, unpacked, signal).catch((error: unknown) => {
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

function onPath(name: string): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
}

async function programIn(unpacked: string): Promise<RedisProgram> {
  const libraries = []
  for (const folder of [join(unpacked, 'usr/lib'), join(unpacked, 'lib')]) {
    const names = existsSync(folder) ? await readdir(folder) : []
    libraries.push(...names.filter((name) => name.endsWith('-linux-gnu')).map((name) => join(folder, name)))
  }
  const command = join(unpacked, 'usr/bin/redis-server')
  return { command, env: { ...process.env, LC_ALL: 'C', LD_LIBRARY_PATH: libraries.join(':') } }
}

/** A cache can outlive the system it was made for, so it is tried each time (5 ms). */
function runs({ command, env }: RedisProgram): boolean {
  return existsSync(command) && spawnSync(command, ['--version'], { env }).status === 0
}

async function unpackPackages(cacheFolder: string, unpacked: string, signal?: AbortSignal): Promise<void> {
  await mkdir(cacheFolder, { recursive: true })
  await removeLeftovers(cacheFolder)
  const work = await mkdtemp(join(cacheFolder, 'unpacking-'))
  try {
    const apt = await privateApt(work, signal)
    await apt('update')
    // Resolved against what the system has: exactly the packages and libraries that are missing here.
    await apt('install', '--yes', '--no-install-recommends', '--download-only', 'redis-server')
    const archives = join(work, 'cache/archives')
    for (const name of (await readdir(archives)).filter((file) => file.endsWith('.deb'))) {
      await run('dpkg', ['-x', join(archives, name), join(work, 'root')], { timeout: aptLimitMs })
    }
    await rm(unpacked, { recursive: true, force: true })
    await rename(join(work, 'root'), unpacked).catch((error: unknown) => {
      // Another start was faster.
      if (!existsSync(unpacked)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** apt-get with state and cache of its own: no root, no lock that a running apt holds, no stale lists. */
async function privateApt(
  work: string,
  signal?: AbortSignal,
): Promise<(...args: string[]) => Promise<unknown>> {
  for (const folder of ['state/lists/partial', 'cache/archives/partial']) {
    await mkdir(join(work, folder), { recursive: true })
  }
  const options = {
    'Dir::State': join(work, 'state'),
    'Dir::State::status': '/var/lib/dpkg/status',
    'Dir::Cache': join(work, 'cache'),
    'Debug::NoLocking': 'true',
    // As root, apt changes to the account _apt, which need not reach this folder.
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '2',
    'Acquire::http::Timeout': '20',
    'Acquire::https::Timeout': '20',
  }
  const flags = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`])
  const env = { ...process.env, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' }
  return (...args) =>
    run('apt-get', ['-qq', ...flags, ...args], { env, timeout: aptLimitMs, killSignal: 'SIGKILL', signal })
}

async function removeLeftovers(cacheFolder: string): Promise<void> {
  for (const name of await readdir(cacheFolder)) {
    if (!name.startsWith('unpacking-')) continue
    // A younger one may be another process's, at work right now.
    const { mtimeMs } = await stat(join(cacheFolder, name))
    const isAbandoned = Date.now() - mtimeMs > 3 * aptLimitMs
    if (isAbandoned) await rm(join(cacheFolder, name), { recursive: true, force: true })
  }
}
