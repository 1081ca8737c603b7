import { rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Redis } from 'ioredis'
import { freePort } from '../../../dev/services/free-port.js'
import { startRedis } from '../../../dev/services/redis.js'
import { connectRedis, whenReady, type RedisMode } from '../../../src/kit/redis/redis.js'
import { createLog } from '../../../src/telemetry/log.js'
import { createDataFolder, createTestRedis } from './services.js'

/** A connection to an empty database of its own, or to the one given. The caller disconnects it. */
export async function connectTestRedis(url?: string, manner: RedisMode = 'fail-fast'): Promise<Redis> {
  const redis = connectRedis(url ?? (await createTestRedis()), manner, createLog('test', 'silent'))
  await whenReady(redis)
  return redis
}

export interface OwnRedis {
  url: string
  /** Resolves when it is gone; harmless when it is already. */
  stop(): Promise<void>
  /** On the same port, with what it wrote down. */
  start(): Promise<void>
  /** It keeps its connections and answers nothing. */
  hang(): void
  wake(): void
  /** For `after`. */
  remove(): Promise<void>
}

/** A Redis server that a test file may stop, start and hang as it likes. */
export async function startOwnRedis(): Promise<OwnRedis> {
  const dataFolder = createDataFolder('own-redis')
  const port = await freePort()
  const start = () => startRedis({ dataFolder, cacheFolder: resolve('.data/packages'), port })
  let server = await start()
  const wake = () => {
    process.kill(server.pid, 'SIGCONT')
  }
  return {
    url: server.url,
    stop: () => server.stop(),
    start: async () => {
      server = await start()
    },
    hang: () => {
      process.kill(server.pid, 'SIGSTOP')
    },
    wake,
    remove: async () => {
      await server.stop()
      rmSync(dataFolder, { recursive: true, force: true })
    },
  }
}
