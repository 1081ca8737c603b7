import { writeFileSync } from 'node:fs'
import { mkdir, realpath } from 'node:fs/promises'
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
  /** Where unpacked Debian packages are kept; default `packages` beside the data folder. */
  cacheFolder?: string
  /** Default: a free one, another at each start. */
  port?: number
  log?: (line: string) => void
  /** Gives the start up. */
  signal?: AbortSignal
}

const stopSignals = ['SIGTERM', 'SIGKILL'] as const

/** A real Redis (or Valkey) on 127.0.0.1 which keeps its data, password, process id and log in `dataFolder`. */
export async function startRedis(options: RedisOptions): Promise<EmbeddedService> {
  const { log = () => undefined } = options
  await mkdir(options.dataFolder, { recursive: true, mode: 0o700 })
  const folder = await realpath(options.dataFolder)
  const cacheFolder = options.cacheFolder ?? join(dirname(folder), 'packages')
  const program = await findRedis(cacheFolder, log, options.signal)

  const pidPath = join(folder, 'redis.pid')
  const search = { pidPath, folder, names: ['redis-server', 'valkey-server'] }
  if (await stopOrphan(search, stopSignals)) log('Redis: stopped one whose supervisor was killed')

  // On loopback every user of the machine reaches it.
  const password = keptPassword(join(folder, 'password'))
  const start = async (port: number): Promise<EmbeddedService> => {
    const service = await startService({
      name: 'Redis',
      ...program,
      args: ['-'],
      input: settings({ port, folder, pidPath, password }),
      cwd: folder,
      logPath: join(folder, 'redis.log'),
      // Redis writes the same file, but only once it is up, and it has no lock against a second one on its data.
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
}

/** As a configuration file, which it gets by standard input: everybody may read a process's arguments. */
function settings({ port, folder, pidPath, password }: Settings): string {
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
  }
  return Object.entries(values)
    .map(([name, value]) => `${name} ${JSON.stringify(value)}\n`)
    .join('')
}

/** Ready is: its data are loaded, and it is this process that answers, not one that took the port meanwhile. */
async function isReady(address: { port: number; password: string }, pid: number): Promise<boolean> {
  const client = new Redis({
    ...address,
    host: '127.0.0.1',
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    connectTimeout: 1_000,
    commandTimeout: 1_000,
    // Its timer outlives the closed connection, and with it the process.
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
