import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Redis } from 'ioredis'
import { freePort } from '../../../dev/services/free-port.js'
import type { EmbeddedService } from '../../../dev/services/postgres.js'
import { startService, type ServiceProcess } from '../../../dev/services/process.js'
import { findRedis } from '../../../dev/services/redis-packages.js'
import { startRedis } from '../../../dev/services/redis.js'
import { until } from '../until.js'

/** A master with replicas, and Sentinels that give its place to one of them. */
export interface WatchedRedis {
  /** REDIS_URL: its host is the name of the master. */
  url: string
  /** REDIS_SENTINELS. */
  sentinels: string
  sentinelPids: readonly number[]
  /** What the Sentinels say. */
  masterPort(): Promise<number>
  /** kill -9. */
  killMaster(): Promise<void>
  /** Resolves when the Sentinels have found another one. */
  whenReplaced(): Promise<void>
  stop(): Promise<void>
}

const MASTER = 'linehook-test'
const PASSWORD = 'watched'
const CACHE = resolve('.data/packages')
/** A failover takes some seconds, on a busy machine more. */
const FAILOVER_MS = 60_000

export async function startWatchedRedis(
  folder: string,
  { replicas, sentinels }: { replicas: number; sentinels: number },
): Promise<WatchedRedis> {
  const services: ServiceProcess[] = []
  const start = async (name: string, settings: Record<string, string> = {}): Promise<EmbeddedService> => {
    const dataFolder = join(folder, name)
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 })
    writeFileSync(join(dataFolder, 'password'), PASSWORD, { mode: 0o600 })
    const redis = await startRedis({
      dataFolder,
      cacheFolder: CACHE,
      settings: {
        masterauth: PASSWORD,
        'repl-diskless-sync-delay': '0',
        // As docs/operating/scaling.md advises, where one replica is left after a failover.
        'min-replicas-to-write': replicas > 1 ? '1' : '0',
        ...settings,
      },
    })
    services.push(redis)
    return redis
  }
  const stop = async () => {
    await Promise.all(services.splice(0).map((each) => each.stop()))
  }
  try {
    const master = await start('master')
    const first = portOf(master)
    for (let nth = 0; nth < replicas; nth += 1) {
      await start(`replica-${nth}`, { replicaof: `127.0.0.1 ${first}` })
    }
    await until('the replicas have all of it', async () => (await countReplicas(first)) === replicas)
    const ports: number[] = []
    const sentinelPids: number[] = []
    for (let nth = 0; nth < sentinels; nth += 1) {
      const port = await freePort()
      const sentinel = await startSentinel(join(folder, `sentinel-${nth}`), port, first, sentinels)
      services.push(sentinel)
      ports.push(port)
      sentinelPids.push(sentinel.pid)
    }
    const masterPort = () => askOf(ports.at(-1) ?? 0)
    await until(
      'the Sentinels know each other and the replicas',
      async () => (await Promise.all(ports.map((port) => knows(port, replicas, sentinels)))).every(Boolean),
      FAILOVER_MS,
    )
    return {
      url: `redis://:${PASSWORD}@${MASTER}`,
      sentinels: ports.map((port) => `127.0.0.1:${port}`).join(','),
      sentinelPids,
      masterPort,
      killMaster: async () => {
        process.kill(master.pid, 'SIGKILL')
        await master.ended
      },
      whenReplaced: async () => {
        await until(
          'the Sentinels have another master',
          async () => {
            const answers = await Promise.all(ports.map((port) => askOf(port)))
            return answers.every((port) => port !== first)
          },
          FAILOVER_MS,
        )
      },
      stop,
    }
  } catch (error) {
    await stop()
    throw error
  }
}

async function startSentinel(
  folder: string,
  port: number,
  masterPort: number,
  count: number,
): Promise<ServiceProcess> {
  const { command, env } = await findRedis(CACHE, () => undefined)
  mkdirSync(folder, { recursive: true })
  const file = join(folder, 'sentinel.conf')
  writeFileSync(
    file,
    `bind 127.0.0.1
port ${port}
dir ${JSON.stringify(folder)}
sentinel monitor ${MASTER} 127.0.0.1 ${masterPort} ${Math.floor(count / 2) + 1}
sentinel auth-pass ${MASTER} ${PASSWORD}
sentinel down-after-milliseconds ${MASTER} 1000
sentinel failover-timeout ${MASTER} 6000
`,
  )
  chmodSync(file, 0o600)
  return startService({
    name: 'Sentinel',
    command,
    env,
    args: [file, '--sentinel'],
    cwd: folder,
    logPath: join(folder, 'sentinel.log'),
    isReady: () => asking(port, (redis) => redis.ping()).then(Boolean, () => false),
    stopSignals: ['SIGTERM', 'SIGKILL'],
    log: () => undefined,
  })
}

function portOf({ url }: EmbeddedService): number {
  return Number(new URL(url).port)
}

async function askOf(sentinelPort: number): Promise<number> {
  const [, port] = (await asking(sentinelPort, (redis) =>
    redis.call('SENTINEL', 'get-master-addr-by-name', MASTER),
  )) as [string, string]
  return Number(port)
}

async function knows(sentinelPort: number, replicas: number, sentinels: number): Promise<boolean> {
  const facts = (await asking(sentinelPort, (redis) => redis.info('sentinel'))) as string
  return facts.includes(`status=ok`) && facts.includes(`slaves=${replicas},sentinels=${sentinels}`)
}

async function countReplicas(port: number): Promise<number> {
  const facts = (await asking(port, (redis) => redis.info('replication'), PASSWORD)) as string
  return facts.match(/state=online/g)?.length ?? 0
}

async function asking(
  port: number,
  ask: (redis: Redis) => Promise<unknown>,
  password?: string,
): Promise<unknown> {
  const redis = new Redis({
    host: '127.0.0.1',
    port,
    ...(password === undefined ? {} : { password }),
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    commandTimeout: 2000,
    disconnectTimeout: 100,
  })
  redis.on('error', () => undefined)
  try {
    await redis.connect()
    return await ask(redis)
  } finally {
    redis.disconnect()
  }
}
