import { existsSync, readFileSync } from 'node:fs'
import { chmod, mkdir, readFile, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
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
  /** Created when it does not exist; default `linehook`. */
  database?: string
  /** Default: a free one, another at each start. */
  port?: number
  log?: (line: string) => void
  /** Gives the start up. */
  signal?: AbortSignal
}

/** The server has said that it is ready: only a very busy machine takes longer. */
const CONNECT_MS = 60_000
// Fast shutdown, immediate shutdown, and the last word.
const stopSignals = ['SIGINT', 'SIGQUIT', 'SIGKILL'] as const

/**
 * A real Postgres on 127.0.0.1 whose cluster, password and log live in `dataFolder`. It recovers by itself from
 * whatever a killed predecessor left: a half-made cluster, a stale lock, a server without a supervisor.
 */
export async function startPostgres(options: PostgresOptions): Promise<EmbeddedService> {
  const { database = 'linehook', log = () => undefined, signal } = options
  await mkdir(options.dataFolder, { recursive: true })
  const folder = await realpath(options.dataFolder)
  const cluster = join(folder, 'cluster')
  const account = postgresAccount(cluster)
  // Another account must pass through to the cluster; nobody needs to list this folder.
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
      args: ['-D', dataName, ...settings({ port })],
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
  // A stale lock is Postgres's own business, except where its process id has gone to another program (in
  // containers ids repeat at each start): Postgres takes that for its predecessor and refuses.
  const pid = recordedPid(pidPath)
  if (pid !== undefined && isAlive(pid)) await rm(pidPath)
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function settings({ port }: { port: number }): string[] {
  const values = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    max_connections: 200,
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: 'off',
  }
  return Object.entries(values).flatMap(([name, value]) => ['-c', `${name}=${value}`])
}

/**
 * What pg_ctl waits for: the lock file is this process's, and its eighth line says ready. A connection alone
 * proves less, since somebody else's Postgres may have taken the port.
 */
function isReady(cluster: string, pid: number): boolean {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n')
    return Number(lines[0]) === pid && lines[7]?.trim() === 'ready'
  } catch {
    return false
  }
}

async function createDatabase(url: string, name: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_MS })
  await client.connect()
  try {
    const found = await client.query('SELECT FROM pg_database WHERE datname = $1', [name])
    if (found.rowCount === 0) await client.query(`CREATE DATABASE ${pg.escapeIdentifier(name)}`)
  } finally {
    await client.end()
  }
}
