import { join } from 'node:path'
import { keepService, type KeptService } from './keep-service.js'
import { startPostgres } from './postgres.js'
import { startRedis } from './redis.js'

export interface ServicesOptions {
  /** The folder of `postgres/`, `redis/` and `packages/`. It is not touched if both URLs are given. */
  dataFolder: string
  databaseUrl?: string
  redisUrl?: string
  /** The folder for an unpacked Redis. Short-lived data folders can share it. */
  cacheFolder?: string
  log?: (line: string) => void
  /** Its abort ends the start, however far that has got. */
  signal?: AbortSignal
}

export interface Services {
  databaseUrl: string
  redisUrl: string
  stop(): Promise<void>
}

/**
 * Provides Postgres and Redis. Configured ones are used as they are. Otherwise embedded ones are started, and started
 * again with their data whenever they end by themselves.
 */
export async function startServices(options: ServicesOptions): Promise<Services> {
  const { dataFolder, databaseUrl, redisUrl, cacheFolder = join(dataFolder, 'packages') } = options
  const { log = () => undefined, signal } = options
  const [postgres, redis] = await startAll([
    databaseUrl === undefined
      ? keepService({
          name: 'Postgres',
          start: (given) => startPostgres({ dataFolder: join(dataFolder, 'postgres'), log, ...given }),
          log,
          signal,
        })
      : external(databaseUrl),
    redisUrl === undefined
      ? keepService({
          name: 'Redis',
          start: (given) => startRedis({ dataFolder: join(dataFolder, 'redis'), cacheFolder, log, ...given }),
          log,
          signal,
        })
      : external(redisUrl),
  ])
  return { databaseUrl: postgres.url, redisUrl: redis.url, stop: () => stopAll([postgres, redis]) }
}

function external(url: string): Promise<KeptService> {
  return Promise.resolve({ url, stop: () => Promise.resolve() })
}

async function startAll(
  starting: [Promise<KeptService>, Promise<KeptService>],
): Promise<[KeptService, KeptService]> {
  try {
    return await Promise.all(starting)
  } catch (error) {
    const settled = await Promise.allSettled(starting)
    await stopAll(settled.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])))
    throw error
  }
}

async function stopAll(services: KeptService[]): Promise<void> {
  const settled = await Promise.allSettled(services.map((service) => service.stop()))
  const failures = settled.flatMap((result) =>
    result.status === 'rejected' ? [result.reason as unknown] : [],
  )
  if (failures.length > 0) throw new AggregateError(failures, 'a service could not be stopped')
}
