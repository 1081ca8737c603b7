import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { freePort } from '../dev/services/free-port.js'
import type { Environment } from '../test/helpers/process/environment.js'
import type { ProcessName } from '../test/helpers/process/processes.js'
import { Ends } from './ends.js'
import { startCopy, type Copy } from './fleet.js'
import { startOutside, type Outside } from './outside.js'
import { startProxy, type Proxy } from './proxy.js'
import { seed, type Seeds } from './seeds.js'
import { mountDisk, type Disk } from './disk.js'
import { ownPostgres, ownRedis, redisLog, type RedisLog, type Store } from './stores.js'

/** What differs from the usual installation. */
export interface Layout {
  /** The number of processes of each name. A name that is missing has the usual number. */
  copies: Partial<Record<ProcessName, number>>
  /** By how many ms the clock of each copy is wrong. A copy that is missing has the right time. */
  clocksMs: Partial<Record<ProcessName, readonly number[]>>
  /** What has a small disk for itself. */
  smallDisk: 'postgres' | 'redis' | 'media'
  /** Whether lines send by an account at Telnyx first, and by the carrier's if that one does not take a text. */
  hasFirstRoute: boolean
  /** How the servers of pictures behave. Usually they behave well. */
  mediaManners: readonly string[]
  environment: Environment
  /** Other stores than one server of each kind. */
  stores: {
    postgres: (folder: string, template: string) => Promise<Store>
    redis: (folder: string) => Promise<Store>
  }
}

interface ProxyPair {
  postgres: Proxy
  redis: Proxy
}

/** A Linehook, with everything that it talks to. */
export interface Installation extends Outside {
  postgres: Store
  redis: Store
  redisLog: RedisLog
  /** The proxies between `web` and the stores, and those between the workers and the stores. */
  proxies: { web: ProxyPair; workers: ProxyPair }
  copies: Copy[]
  webUrls: string[]
  seeds: Seeds
  disk: Disk | undefined
  /** Ends everything, and writes what the processes printed to files. */
  close(): Promise<void>
}

/** With `fetch-media` there are pictures in the load, and with `receive-smpp` there is an SMSC. */
const USUAL: Record<ProcessName, number> = {
  web: 1,
  'send-message': 1,
  'deliver-event': 1,
  'fetch-media': 0,
  maintenance: 1,
  'receive-smpp': 0,
}

/** These times are short, so that work which waits for something that hangs is taken up again within a run. */
const TIMES: Environment = {
  CARRIER_TIMEOUT_MS: '2000',
  DELIVERY_TIMEOUT_MS: '2000',
  MEDIA_TIMEOUT_MS: '2000',
  DELIVERY_RETRY_BASE_MS: '300',
}

export async function install(
  folder: string,
  template: string,
  layout: Partial<Layout>,
): Promise<Installation> {
  await mkdir(folder, { recursive: true })
  const ends = new Ends()
  try {
    return await build(folder, template, layout, ends)
  } catch (error) {
    await ends.all()
    throw error
  }
}

async function build(
  folder: string,
  template: string,
  layout: Partial<Layout>,
  ends: Ends,
): Promise<Installation> {
  const counts = { ...USUAL, ...layout.copies }
  const folders = {
    postgres: join(folder, 'postgres'),
    redis: join(folder, 'redis'),
    media: join(folder, 'media'),
  }
  const disk =
    layout.smallDisk &&
    ends.add(await mountDisk(folders[layout.smallDisk]), (each) => {
      each.remove()
    })
  const stores = layout.stores ?? { postgres: ownPostgres, redis: ownRedis }
  const [postgres, redis, outside] = await Promise.all([
    stores.postgres(folders.postgres, template).then((store) => ends.add(store, (each) => each.stop())),
    stores.redis(folders.redis).then((store) => ends.add(store, (each) => each.stop())),
    startOutside(
      folder,
      {
        mediaManners: counts['fetch-media'] > 0 ? (layout.mediaManners ?? ['good']) : [],
        smpp: counts['receive-smpp'] > 0,
        telnyx: layout.hasFirstRoute === true,
      },
      ends,
    ),
  ])
  const proxy = async ({ port }: Store) =>
    ends.add(await startProxy(port), (each) => {
      each.close()
    })
  const proxies = {
    web: { postgres: await proxy(postgres), redis: await proxy(redis) },
    workers: { postgres: await proxy(postgres), redis: await proxy(redis) },
  }

  const ports = await Promise.all(Array.from({ length: counts.web }, () => freePort()))
  const webUrls = ports.map((port) => `http://127.0.0.1:${port}`)
  const environment: Environment = {
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    HOST: '127.0.0.1',
    PUBLIC_URL: webUrls[0] ?? '',
    MEDIA_FOLDER: resolve(folders.media),
    LOG_LEVEL: 'info',
    // If the harness is killed, its processes end too.
    STARTED_BY_PID: String(process.pid),
    ALLOW_HTTP: 'true',
    ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8,::1/128',
    ...TIMES,
    ...(redis.sentinels === undefined ? {} : { REDIS_SENTINELS: redis.sentinels }),
    ...layout.environment,
  }
  const straight = { ...environment, LOG_LEVEL: 'silent', DATABASE_URL: postgres.url, REDIS_URL: redis.url }
  const seeds = await seed(straight, outside)

  const environmentOf = (kind: ProcessName, index: number): Environment => {
    const through = proxies[kind === 'web' ? 'web' : 'workers']
    return {
      ...environment,
      DATABASE_URL: withPort(postgres.url, through.postgres),
      // Sentinels tell where Redis itself is, and so past the proxy.
      REDIS_URL: redis.sentinels === undefined ? withPort(redis.url, through.redis) : redis.url,
      ...(kind === 'web' ? { PORT: String(ports[index]) } : {}),
    }
  }
  const copies = Object.entries(counts).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, index) => {
      const kind = name as ProcessName
      const copy = startCopy(kind, environmentOf(kind, index), layout.clocksMs?.[kind]?.[index])
      return ends.add(copy, (each) => each.end())
    }),
  )
  await Promise.all(copies.map((copy) => copy.whenStarted()))

  return {
    ...outside,
    postgres,
    redis,
    redisLog: redisLog(folders.redis),
    proxies,
    copies,
    webUrls,
    seeds,
    disk,
    close: async () => {
      await ends.all()
      for (const [index, copy] of copies.entries()) {
        await writeFile(join(folder, `${copy.name}-${index}.log`), `${copy.output().join('\n')}\n`)
      }
    },
  }
}

function withPort(url: string, { port }: Proxy): string {
  const changed = new URL(url)
  changed.port = String(port)
  return changed.href
}
