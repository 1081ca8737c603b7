import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, existsSync, readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { environmentOf, unpackPackages } from '../../../dev/services/debian-packages.js'
import { freePort } from '../../../dev/services/free-port.js'
import { canReach, postgresAccount, type Account } from '../../../dev/services/postgres-account.js'
import { sharedFolder } from '../../../dev/services/postgres-binaries.js'
import { createDataFolder } from '../../helpers/services/services.js'
import { until } from '../../helpers/until.js'

const run = promisify(execFile)

export interface DebianPostgres {
  createDatabase(name: string): Promise<string>
  /** Of a program of its own, such as `pg_dump`. */
  run(program: string, ...args: string[]): Promise<void>
  stop(): Promise<void>
}

/**
 * Debian's Postgres with all its programs; the embedded one comes without `pg_dump`. It is the oldest that we run on, too.
 *
 * @throws Error where Debian's packages cannot be had
 */
export async function startDebianPostgres(): Promise<DebianPostgres> {
  const folder = createDataFolder('debian-postgres')
  const account = postgresAccount(folder)
  const { programs, env } = await findPrograms(account)
  chmodSync(folder, 0o700)
  if (account) chownSync(folder, account.uid, account.gid)
  const options = { ...account, env, cwd: folder }
  await run(
    join(programs, 'initdb'),
    [
      '--pgdata',
      folder,
      '--username',
      'linehook',
      '--auth',
      'trust',
      '--no-sync',
      '--locale',
      'C',
      '-E',
      'UTF8',
    ],
    options,
  )
  const port = String(await freePort())
  const settings = [
    'port',
    port,
    'unix_socket_directories',
    '',
    'fsync',
    'off',
    'jit',
    'off',
    'max_connections',
    '200',
  ]
  const flags = settings.flatMap((name, n) => (n % 2 === 0 ? ['-c', `${name}=${settings[n + 1] ?? ''}`] : []))
  const server = spawn(join(programs, 'postgres'), ['-D', folder, ...flags], { ...options, stdio: 'ignore' })
  const ended = once(server, 'exit')
  const at = ['--host', '127.0.0.1', '--port', port, '--username', 'linehook']
  const call = async (program: string, ...args: string[]) => {
    await run(join(programs, program), args, { env })
  }
  await until('Postgres answers', () =>
    call('pg_isready', ...at).then(
      () => true,
      () => false,
    ),
  )
  return {
    createDatabase: async (name) => {
      await call('createdb', ...at, name)
      return `postgres://linehook@127.0.0.1:${port}/${name}`
    },
    run: call,
    stop: async () => {
      server.kill('SIGINT')
      await ended
    },
  }
}

/** Those of this machine, else those of Debian's package, unpacked once where the account that runs them may enter. */
async function findPrograms(
  account: Account | undefined,
): Promise<{ programs: string; env: NodeJS.ProcessEnv }> {
  const installed = newestIn('/usr/lib/postgresql')
  if (installed !== undefined) return { programs: installed, env: { ...process.env, LC_ALL: 'C' } }
  const cacheFolder = canReach(resolve('.'), account)
    ? resolve('.data/packages')
    : join(sharedFolder, 'packages')
  const unpacked = join(cacheFolder, 'postgresql')
  if (!existsSync(unpacked)) await unpackPackages('postgresql', cacheFolder, unpacked)
  const programs = newestIn(join(unpacked, 'usr/lib/postgresql'))
  if (programs === undefined) throw new Error(`no Postgres in ${unpacked}`)
  return { programs, env: await environmentOf(unpacked) }
}

function newestIn(folder: string): string | undefined {
  const versions = existsSync(folder) ? readdirSync(folder) : []
  return versions
    .sort((a, b) => Number(b) - Number(a))
    .map((version) => join(folder, version, 'bin'))
    .find((programs) => ['initdb', 'postgres', 'pg_dump'].every((name) => existsSync(join(programs, name))))
}
