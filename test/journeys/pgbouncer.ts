import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { createConnection } from 'node:net'
import { join, resolve } from 'node:path'
import { environmentOf, unpackPackages } from '../../dev/debian-packages.js'
import { freePort } from '../../dev/free-port.js'
import { createDataFolder } from '../helpers/services.js'
import { until } from '../helpers/until.js'

export interface Bouncer {
  /** As `databaseUrl`, through PgBouncer. */
  url: string
  stop(): Promise<void>
}

/** PgBouncer does not run as root: it changes to this account, once it has read what only root may reach. */
const UNPRIVILEGED = ['-u', 'nobody']

/**
 * Debian's PgBouncer in transaction mode with few server connections: each transaction may get another one.
 *
 * @throws Error where Debian's packages cannot be had
 */
export async function startPgBouncer(databaseUrl: string): Promise<Bouncer> {
  const cacheFolder = resolve('.data/packages')
  const unpacked = join(cacheFolder, 'pgbouncer')
  if (!existsSync(unpacked)) await unpackPackages('pgbouncer', cacheFolder, unpacked)

  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  const name = pathname.slice(1)
  const ownPort = await freePort()
  const folder = createDataFolder('pgbouncer')
  const settings = join(folder, 'pgbouncer.ini')
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
default_pool_size = 3
ignore_startup_parameters = statement_timeout,idle_in_transaction_session_timeout
`,
  )
  const account = process.getuid?.() === 0 ? UNPRIVILEGED : []
  const bouncer = spawn(join(unpacked, 'usr/sbin/pgbouncer'), [...account, '-q', settings], {
    env: await environmentOf(unpacked),
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = once(bouncer, 'exit')
  const endedEarly = ended.then(([code]) => Promise.reject(new Error(`PgBouncer ended with ${code}`)))
  endedEarly.catch(() => undefined)
  await Promise.race([until('PgBouncer listens', () => answers(ownPort)), endedEarly])
  return {
    url: `postgres://${username}@127.0.0.1:${ownPort}/${name}`,
    stop: async () => {
      bouncer.kill('SIGKILL')
      await ended
    },
  }
}

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
