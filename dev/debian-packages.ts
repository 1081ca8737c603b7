import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const aptLimitMs = 180_000

/** What programs that were unpacked there need to find their libraries. */
export async function environmentOf(unpacked: string): Promise<NodeJS.ProcessEnv> {
  const libraries = []
  for (const folder of [join(unpacked, 'usr/lib'), join(unpacked, 'lib')]) {
    const names = existsSync(folder) ? await readdir(folder) : []
    libraries.push(...names.filter((name) => name.endsWith('-linux-gnu')).map((name) => join(folder, name)))
  }
  return { ...process.env, LC_ALL: 'C', LD_LIBRARY_PATH: libraries.join(':') }
}

/**
 * Unpacks (does not install) a package of Debian and what it needs besides the system into the folder `unpacked` of
 * `cacheFolder`: that needs no root and leaves the system as it is.
 */
export async function unpackPackages(
  name: string,
  cacheFolder: string,
  unpacked: string,
  signal?: AbortSignal,
): Promise<void> {
  await mkdir(cacheFolder, { recursive: true })
  await removeLeftovers(cacheFolder)
  const work = await mkdtemp(join(cacheFolder, 'unpacking-'))
  try {
    const apt = await privateApt(work, signal)
    await apt('update')
    // Resolved against what the system has: exactly the packages and libraries that are missing here.
    await apt('install', '--yes', '--no-install-recommends', '--download-only', name)
    const archives = join(work, 'cache/archives')
    for (const archive of (await readdir(archives)).filter((file) => file.endsWith('.deb'))) {
      await run('dpkg', ['-x', join(archives, archive), join(work, 'root')], { timeout: aptLimitMs })
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
