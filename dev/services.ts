import { join } from 'node:path'
import { startPostgres } from './postgres.js'
import { startRedis } from './redis.js'

export interface ServicesOptions {
  /** Holds `postgres/`, `redis/` and `packages/`; not touched when both URLs are given. */
  dataFolder: string
  databaseUrl?: string
  redisUrl?: string
  /** Where an unpacked Redis is kept; share it between short-lived data folders. */
  cacheFolder?: string
  log?: (line: string) => void
}

export interface Services {
  databaseUrl: string
  redisUrl: string
  stop(): Promise<void>
}

interface Service {
  url: string
  stop(): Promise<void>
}

/** Postgres and Redis: those that are configured, as they are; embedded ones in place of those that are not. */
export async function startServices(options: ServicesOptions): Promise<Services> {
  const { dataFolder, databaseUrl, redisUrl, cacheFolder = join(dataFolder, 'packages'), log } = options
  const logger = log ? { log } : {}
  const [postgres, redis] = await startAll([
    databaseUrl === undefined
      ? startPostgres({ dataFolder: join(dataFolder, 'postgres'), ...logger })
      : external(databaseUrl),
    redisUrl === undefined
      ? startRedis({ dataFolder: join(dataFolder, 'redis'), cacheFolder, ...logger })
      : external(redisUrl),
  ])
  return { databaseUrl: postgres.url, redisUrl: redis.url, stop: () => stopAll([postgres, redis]) }
}

function external(url: string): Promise<Service> {
  return Promise.resolve({ url, stop: () => Promise.resolve() })
}

async function startAll(starting: [Promise<Service>, Promise<Service>]): Promise<[Service, Service]> {
  try {
    return await Promise.all(starting)
  } catch (error) {
    const settled = await Promise.allSettled(starting)
    await stopAll(settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])))
    throw error
  }
}

async function stopAll(services: Service[]): Promise<void> {
  const settled = await Promise.allSettled(services.map((service) => service.stop()))
  const failures = settled.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  )
  if (failures.length > 0) throw new AggregateError(failures, 'a service could not be stopped')
}
