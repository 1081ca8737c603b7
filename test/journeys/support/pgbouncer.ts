import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join, resolve } from 'node:path'
import { environmentOf, unpackPackages } from '../../../dev/services/debian-packages.js'
import { freePort } from '../../../dev/services/free-port.js'
import { onPath } from '../../../dev/services/redis-packages.js'
import { createDataFolder } from '../../helpers/services/services.js'
import { until } from '../../helpers/until.js'

export interface Bouncer {
  /** As `databaseUrl`, through PgBouncer. */
  url: string
  /** From now on it leads to this Postgres: its settings are written anew, and it is told to read them (SIGHUP). */
  leadTo(databaseUrl: string): void
  stop(): Promise<void>
}

/** PgBouncer does not run as root: it changes to this account, `nobody`, which reads its settings again. */
const UNPRIVILEGED = { name: 'nobody', id: 65534 }

/**
 * Debian's PgBouncer in transaction mode with few server connections: each transaction may get another one.
 *
 * @throws Error where Debian's packages cannot be had
 */
export async function startPgBouncer(
  databaseUrl: string,
  { poolSize = 3, folder = createDataFolder('pgbouncer') } = {},
): Promise<Bouncer> {
  const { command, env } = await findPgBouncer()
  const { username, pathname } = new URL(databaseUrl)
  const name = pathname.slice(1)
  const ownPort = await freePort()
  const isRoot = process.getuid?.() === 0
  const settings = join(folder, 'pgbouncer.ini')
  const write = (url: string) => {
    const { hostname, port, password } = new URL(url)
    writeFileSync(
      settings,
      `[databases]
${name} = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${poolSize}
max_client_conn = 1000
server_login_retry = 1
ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout
`,
      { mode: 0o600 },
    )
    if (isRoot) for (const path of [folder, settings]) chownSync(path, UNPRIVILEGED.id, UNPRIVILEGED.id)
  }
  write(databaseUrl)
  const account = isRoot ? ['-u', UNPRIVILEGED.name] : []
  // By its working folder it finds its settings even where its account may not pass through the folders above.
  const named = process.platform === 'linux' ? '/proc/self/cwd/pgbouncer.ini' : settings
  const bouncer = spawn(command, [...account, '-q', named], {
    cwd: folder,
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(bouncer, 'exit')
  const endedEarly = ended.then(([code]) => Promise.reject(new Error(`PgBouncer ended with ${code}`)))
  endedEarly.catch(() => undefined)
  await Promise.race([until('PgBouncer listens', () => answers(ownPort)), endedEarly])
  return {
    url: `postgres://${username}@127.0.0.1:${ownPort}/${name}`,
    leadTo: (url) => {
      write(url)
      bouncer.kill('SIGHUP')
    },
    stop: async () => {
      bouncer.kill('SIGKILL')
      await ended
    },
  }
}

/** The one that is installed. Otherwise Debian's package is unpacked, once. */
async function findPgBouncer(): Promise<{ command: string; env: NodeJS.ProcessEnv }> {
  const installed = onPath('pgbouncer') ?? INSTALLED.find((path) => existsSync(path))
  if (installed !== undefined) return { command: installed, env: { ...process.env, LC_ALL: 'C' } }
  const cacheFolder = resolve('.data/packages')
  const unpacked = join(cacheFolder, 'pgbouncer')
  if (!existsSync(unpacked)) {
    await unpackPackages('pgbouncer', cacheFolder, unpacked).catch((error: unknown) => {
      throw new Error('there is no PgBouncer: install it (apt-get install pgbouncer)', { cause: error })
    })
  }
  return { command: join(unpacked, 'usr/sbin/pgbouncer'), env: await environmentOf(unpacked) }
}

/** Where Debian puts it, which is on the PATH of root only. */
const INSTALLED = ['/usr/sbin/pgbouncer']

async function answers(port: number): Promise<boolean> {
  const socket = createConnection(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
