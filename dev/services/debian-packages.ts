import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const aptLimitMs = 180_000

/** Returns the environment in which unpacked programs find their libraries. */
export async function environmentOf(unpacked: string): Promise<NodeJS.ProcessEnv> {
  const libraries = []
  for (const folder of [join(unpacked, 'usr/lib'), join(unpacked, 'lib')]) {
    const names = existsSync(folder) ? await readdir(folder) : []
    libraries.push(...names.filter((name) => name.endsWith('-linux-gnu')).map((name) => join(folder, name)))
  }
  return { ...process.env, LC_ALL: 'C', LD_LIBRARY_PATH: libraries.join(':') }
}

/**
 * Unpacks Debian packages, named with a space between them, and what they need besides the system into the folder `unpacked`
 * of `cacheFolder`. Nothing is installed, so this needs no root and leaves the system as it is.
 */
export async function unpackPackages(
  names: string,
  cacheFolder: string,
  unpacked: string,
  signal?: AbortSignal,
): Promise<void> {
  await mkdir(cacheFolder, { recursive: true })
  await removeLeftovers(cacheFolder)
  const work = await mkdtemp(join(cacheFolder, 'unpacking-'))
  const unpackedBefore = await identityOf(unpacked)
  try {
    const apt = await privateApt(work, signal)
    await apt('update')
    // apt knows what the system has, so it downloads only the libraries that are missing. The caller did not find the
    // programs on PATH, so they are downloaded even if apt considers them installed.
    await apt(
      'install',
      '--yes',
      '--no-install-recommends',
      '--reinstall',
      '--download-only',
      ...names.split(' '),
    )
    const archives = join(work, 'cache/archives')
    for (const archive of (await readdir(archives)).filter((file) => file.endsWith('.deb'))) {
      await run('dpkg', ['-x', join(archives, archive), join(work, 'root')], { timeout: aptLimitMs })
    }
    // Another start may have unpacked it in the meantime, which is just as good, and may be running it.
    if ((await identityOf(unpacked)) !== unpackedBefore) return
    await rm(unpacked, { recursive: true, force: true })
    await rename(join(work, 'root'), unpacked).catch((error: unknown) => {
      if (!existsSync(unpacked)) throw error
    })
  } finally {
    await rm(work, { recursive: true, force: true })
  }
}

/** Tells a folder from another one that came in its place; undefined if there is none. */
async function identityOf(folder: string): Promise<string | undefined> {
  const found = await stat(folder).catch(() => undefined)
  return found && `${found.ino} ${found.birthtimeMs}`
}

/**
 * Runs apt-get with its own state and cache, so that it needs no root, does not wait for another apt's lock, and has
 * fresh lists.
 */
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
    // Run by root, apt switches to the account _apt, which may not be able to reach this folder.
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
    // Another process may still be using a newer folder.
    const mtimeMs = await stat(join(cacheFolder, name)).then(
      (found) => found.mtimeMs,
      // That process has just removed it.
      () => Infinity,
    )
    const isAbandoned = Date.now() - mtimeMs > 3 * aptLimitMs
    if (isAbandoned) await rm(join(cacheFolder, name), { recursive: true, force: true })
  }
}
