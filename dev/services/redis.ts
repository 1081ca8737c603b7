import { writeFileSync } from 'node:fs'
import { chmod, mkdir, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Redis } from 'ioredis'
import { onFreePort } from './free-port.js'
import { stopOrphan } from './orphan.js'
import type { EmbeddedService } from './postgres.js'
import { keptPassword } from './password.js'
import { startService } from './process.js'
import { findRedis } from './redis-packages.js'

export interface RedisOptions {
  dataFolder: string
  /** The folder for unpacked Debian packages. The default is `packages` beside the data folder. */
  cacheFolder?: string
  /** The default is a free port, which is another one at each start. */
  port?: number
  /** Settings of redis.conf besides those that it needs here. */
  settings?: Record<string, string>
  log?: (line: string) => void
  /** Its abort ends the start. */
  signal?: AbortSignal
}

const stopSignals = ['SIGTERM', 'SIGKILL'] as const

/** Starts a real Redis (or Valkey) on 127.0.0.1. It keeps its data, password, process id and log in `dataFolder`. */
export async function startRedis(options: RedisOptions): Promise<EmbeddedService> {
  const { log = () => undefined } = options
  await mkdir(options.dataFolder, { recursive: true })
  const folder = await realpath(options.dataFolder)
  // Only this folder is closed: the account of Postgres passes through those above.
  await chmod(folder, 0o700)
  const cacheFolder = options.cacheFolder ?? join(dirname(folder), 'packages')
  const program = await findRedis(cacheFolder, log, options.signal)

  const pidPath = join(folder, 'redis.pid')
  const search = { pidPath, folder, names: ['redis-server', 'valkey-server'] }
  if (await stopOrphan(search, stopSignals)) log('Redis: stopped one whose supervisor was killed')

  // Every user of the machine can reach it on loopback, so it has a password.
  const password = keptPassword(join(folder, 'password'))
  const start = async (port: number): Promise<EmbeddedService> => {
    const service = await startService({
      name: 'Redis',
      ...program,
      args: ['-'],
      input: settings({ port, folder, pidPath, password, more: options.settings ?? {} }),
      cwd: folder,
      logPath: join(folder, 'redis.log'),
      // Redis writes the same file, but only once it runs, and it has no lock that keeps a second Redis from its data.
      onSpawn: (id) => {
        writeFileSync(pidPath, `${id}\n`)
      },
      isReady: (id) => isReady({ port, password }, id),
      signal: options.signal,
      stopSignals,
      log,
    })
    return { ...service, url: `redis://:${password}@127.0.0.1:${port}` }
  }
  return options.port === undefined ? onFreePort(start) : start(options.port)
}

interface Settings {
  port: number
  folder: string
  pidPath: string
  password: string
  more: Record<string, string>
}

/** The configuration file, which Redis reads from standard input: everybody can read the arguments of a process. */
function settings({ port, folder, pidPath, password, more }: Settings): string {
  const values = {
    bind: '127.0.0.1',
    port: String(port),
    'protected-mode': 'yes',
    requirepass: password,
    dir: folder,
    pidfile: pidPath,
    databases: '128',
    appendonly: 'yes',
    appendfsync: 'everysec',
    save: '',
    'maxmemory-policy': 'noeviction',
    ...more,
  }
  return Object.entries(values)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}\n`)
    .join('')
}

/** Redis is ready when its data is loaded and this process answers, and not another one that has taken the port. */
async function isReady(address: { port: number; password: string }, pid: number): Promise<boolean> {
  const client = new Redis({
    ...address,
    host: '127.0.0.1',
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    connectTimeout: 1_000,
    commandTimeout: 1_000,
    // The timer continues after the connection is closed, and keeps the process alive for as long.
    disconnectTimeout: 100,
  })
  client.on('error', () => undefined)
  try {
    await client.connect()
    await client.ping()
    return new RegExp(`^process_id:${pid}\\s*$`, 'm').test(await client.info('server'))
  } catch {
    return false
  } finally {
    client.disconnect()
  }
}
