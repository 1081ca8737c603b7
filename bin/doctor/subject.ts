import { Redis } from 'ioredis'
import { readConfig, withSecretFiles, type Config } from '../../src/config.js'
import { ConfigInvalid } from '../../src/config/invalid.js'
import { connectDatabase, type Database } from '../../src/database/connection.js'
import { sentinelOptions } from '../../src/kit/redis/redis.js'

/** The installation that is examined. Nothing connects before a check asks. */
export interface Subject {
  /** The usable part of the configuration; unusable settings have their defaults or placeholders. */
  config: Config
  /** A sentence for each fault of the configuration, which begins with the name of a variable. */
  configFaults: readonly string[]
  db: Database
  redis: Redis
  /** The last error that broke the connection to Redis. */
  redisError(): Error | undefined
  close(): Promise<void>
}

/** A service that has not answered within this time counts as hanging. */
export const PATIENCE_MS = 2000

/** Placeholders for required settings that are missing or unusable. */
const STANDING_IN = {
  DATABASE_URL: 'postgres://nowhere.invalid/nothing',
  REDIS_URL: 'redis://nowhere.invalid',
  ENCRYPTION_KEY: Buffer.alloc(32, 'nobody').toString('base64'),
}

export function openSubject(env: NodeJS.ProcessEnv): Subject {
  const { config, configFaults } = readUsable(env)
  const db = connectDatabase({
    url: config.databaseUrl,
    poolSize: 3,
    applicationName: 'doctor',
    statementTimeoutMs: PATIENCE_MS,
    acquireTimeoutMs: PATIENCE_MS,
    openingMs: PATIENCE_MS,
    namesStatements: false,
  })
  const { redis, lastError } = openRedis(config)
  return {
    config,
    configFaults,
    db,
    redis,
    redisError: lastError,
    close: async () => {
      redis.disconnect()
      await db.destroy()
    },
  }
}

/** True if the configuration has a usable value for a required setting. */
export function isGiven({ configFaults }: Subject, variable: keyof typeof STANDING_IN): boolean {
  return !configFaults.some((each) => each.startsWith(`${variable} `) || each.startsWith(`${variable}_FILE `))
}

/** Some faults are found only once others are gone, so the configuration is read again until it has none. */
function readUsable(env: NodeJS.ProcessEnv): Pick<Subject, 'config' | 'configFaults'> {
  const configFaults: string[] = []
  for (let usable = env; ;) {
    try {
      return { config: readConfig(usable), configFaults }
    } catch (error) {
      if (!(error instanceof ConfigInvalid)) throw error
      // A fault that comes again names no variable that could be left out.
      if (error.faults.some((fault) => configFaults.includes(fault))) throw error
      configFaults.push(...error.faults)
      const faulty = new Set(
        error.faults.flatMap((each) => each.match(/^[A-Z\d_]+( and [A-Z\d_]+)?/)?.[0].split(' and ') ?? []),
      )
      const rest = Object.entries(withSecretFiles(usable).env).filter(([name]) => !faulty.has(name))
      usable = { ...STANDING_IN, ...Object.fromEntries(rest) }
    }
  }
}

/** The connection gives up at the first failure, which can be read afterwards. */
function openRedis({ redisUrl, redisSentinels }: Config): {
  redis: Redis
  lastError: () => Error | undefined
} {
  const redis = new Redis(redisUrl, {
    ...sentinelOptions(redisUrl, redisSentinels),
    sentinelRetryStrategy: () => null,
    lazyConnect: true,
    enableReadyCheck: false,
    retryStrategy: () => null,
    connectTimeout: PATIENCE_MS,
    commandTimeout: PATIENCE_MS,
    // Its timer outlives the closed connection, and with it the process.
    disconnectTimeout: 100,
  })
  let last: Error | undefined
  redis.on('error', (error: Error) => {
    last = error
  })
  return { redis, lastError: () => last }
}
