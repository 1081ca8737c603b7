import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chown, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { canReach, type Account } from './postgres-account.js'

interface ClusterOptions {
  folder: string
  cluster: string
  binaries: string
  account: Account | undefined
  signal: AbortSignal | undefined
}

/**
 * The path by which the account reaches the folder that it runs in. No ordinary path leads below a 0700 folder. But the
 * process enters its working folder before it changes its account, and the kernel follows /proc/self/cwd without checking
 * the folders above.
 */
export function nameForAccount(folder: string, account: Account | undefined): string {
  if (canReach(folder, account)) return folder
  if (process.platform === 'linux') return '/proc/self/cwd'
  throw new Error(`Postgres cannot run as root below ${folder}: run as another user, or set DATABASE_URL`)
}

/**
 * Makes the cluster in another folder and renames that, so that `cluster` is either complete or absent, whatever dies
 * halfway. Every attempt has a folder of its own, because an initdb whose starter was killed may still be writing to the
 * last one.
 */
export async function createCluster({ folder, cluster, binaries, account, signal }: ClusterOptions) {
  await removeLeftovers(folder)
  const partial = await mkdtemp(join(folder, 'cluster.new-'))
  const passwordPath = join(folder, 'password')
  await writeFile(passwordPath, randomBytes(24).toString('hex'), { mode: 0o600 })
  if (account) for (const path of [partial, passwordPath]) await chown(path, account.uid, account.gid)

  const dataName = nameForAccount(partial, account)
  const args = [
    ...['--pgdata', dataName, '--username', 'linehook', '--pwfile', `${dataName}/../password`],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8'],
    // The built-in locale sorts and folds case alike on every machine, whichever locales are installed there.
    ...['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
  ]
  try {
    const options = {
      ...account,
      cwd: partial,
      env: postgresEnvironment(),
      signal,
      killSignal: 'SIGKILL',
    } as const
    await promisify(execFile)(join(binaries, 'bin/initdb'), args, options)
  } catch (error) {
    await removeLeftovers(folder)
    const { message, stderr } = error as { message: string; stderr?: string }
    const reason = (stderr ?? '').trim() || message
    throw new Error(`no embedded Postgres: initdb failed, set DATABASE_URL to use your own. ${reason}`, {
      cause: error,
    })
  }
  await rename(partial, cluster)
}

/**
 * The environment without PGPORT, PGDATA and the like: in the caller's environment they are meant for another Postgres.
 */
export function postgresEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' }
}

async function removeLeftovers(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith('cluster.new-')) continue
    // A folder into which an initdb still writes cannot be removed yet. A later start removes it.
    await rm(join(folder, name), { recursive: true, force: true, maxRetries: 3 }).catch(() => undefined)
  }
}
