import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { hasCode } from '../../src/errors.js'
import { onFreePort } from './free-port.js'
import { recordedPid, stopOrphan } from './orphan.js'
import { postgresAccount } from './postgres-account.js'
import { postgresBinaries } from './postgres-binaries.js'
import { createCluster, nameForAccount, postgresEnvironment } from './postgres-cluster.js'
import { startService, type ServiceProcess } from './process.js'

export interface EmbeddedService extends ServiceProcess {
  url: string
}

export interface PostgresOptions {
  dataFolder: string
  /** The database, which is created if it does not exist. The default is `linehook`. */
  database?: string
  /** The default is a free port, which is another one at each start. */
  port?: number
  /** Settings of postgresql.conf besides those that it needs here. */
  settings?: Record<string, string>
  log?: (line: string) => void
  /** Its abort ends the start. */
  signal?: AbortSignal
}

/** The server has said that it is ready, so only a very busy machine needs more than a moment to connect. */
const CONNECT_MS = 60_000
// They ask for a fast shutdown and then for an immediate one; the last one kills the process.
const stopSignals = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const

/**
 * Starts a real Postgres on 127.0.0.1. Its cluster, password and log are in `dataFolder`. It copes with what a killed
 * predecessor may have left: an unfinished cluster, a stale lock, or a server without a supervisor.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedService> {
  const { database = 'linehook', log = () => undefined, signal } = options
  await mkdir(options.dataFolder, { recursive: true })
  const folder = await realpath(options.dataFolder)
  const cluster = join(folder, 'cluster')
  const account = postgresAccount(cluster)
  // Another account must be able to pass through to the cluster, but no other user needs to list this folder.
  await chmod(folder, account ? 0o711 : 0o700)
  const binaries = await postgresBinaries({ folder, account, log })

  await clearPredecessor(cluster, log)
  if (!existsSync(cluster)) {
    log(`Postgres: creating a cluster in ${cluster}`)
    await createCluster({ folder, cluster, binaries, account, signal })
  }
  const password = await readFile(join(folder, 'password'), 'utf8')
  const dataName = nameForAccount(cluster, account)

  const start = async (port: number): Promise<EmbeddedService> => {
    const service = await startService({
      name: 'Postgres',
      command: join(binaries, 'bin/postgres'),
      args: ['-D', dataName, ...settings(port, options.settings)],
      cwd: cluster,
      env: postgresEnvironment(),
      account,
      logPath: join(folder, 'postgres.log'),
      isReady: (id) => isReady(cluster, id),
      signal,
      stopSignals,
      log,
    })
    const urlOf = (name: string) =>
      `postgres://linehook:${password}@127.0.0.1:${port}/${encodeURIComponent(name)}`
    try {
      await createDatabase(urlOf('postgres'), database)
    } catch (error) {
      await service.stop()
      throw error
    }
    return { ...service, url: urlOf(database) }
  }
  return options.port === undefined ? onFreePort(start) : start(options.port)
}

async function clearPredecessor(cluster: string, log: (line: string) => void): Promise<void> {
  const pidPath = join(cluster, 'postmaster.pid')
  const search = { pidPath, folder: cluster, names: ['postgres'] }
  if (await stopOrphan(search, stopSignals)) log('Postgres: stopped one whose supervisor was killed')
  // Postgres deals with a stale lock itself, unless another program has that process id now, as in containers, where ids
  // repeat at each start. Postgres would take that program for its predecessor and refuse to start.
  const pid = recordedPid(pidPath)
  if (pid !== undefined && isAlive(pid)) await rm(pidPath)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    if (!hasCode(error, 'ESRCH', 'EPERM')) throw error
    return false
  }
}

function settings(port: number, more: Record<string, string> = {}): string[] {
  const values = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
    ...more,
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * Checks the same as pg_ctl: the lock file has this process's id, and its eighth line says ready or standby. A connection
 * would prove less, because another Postgres may have taken the port.
 */
function isReady(cluster: string, pid: number): boolean {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === pid && /^(ready|standby)\s*$/.test(lines[7] ?? '')
  } catch {
    return false
  }
}

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  // A server that dies just now, for example on a full disk, fails the query too. Without a listener, it would also end
  // this process, which is to start it again.
  client.on('error', () => undefined)
  await client.connect()
  try {
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
}
