import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { Ends } from '../../chaos/ends.js'
import { freePort } from '../../dev/services/free-port.js'
import { readConfig } from '../../src/config.js'
import type { Context } from '../../src/domain/context.js'
import { createContext } from '../../src/domain/open-context.js'
import { whenReady } from '../../src/kit/redis/redis.js'
import { startFromProcfile, type Running } from './processes.js'

/** The URL for which carriers sign their callbacks. Nobody calls it. */
export const PUBLIC_URL = 'https://linehook.example.com'

/** A Linehook with default settings, which nothing else uses. */
export interface Installation {
  /** A pool for its database, besides those of its processes. */
  sql: pg.Pool
  /** Prepares it by functions of the domain. Their connections are closed before anything is measured. */
  prepare<T>(work: (context: Context) => Promise<T>): Promise<T>
  /** Starts one process of the Procfile, as it was built. */
  start(name: string): Promise<Running>
  startWeb(): Promise<Running & { url: string }>
  /** Ends its processes, and drops its database and its data in Redis. */
  close(): Promise<void>
}

export async function createInstallation(given: {
  databaseUrl: string
  redisUrl: string
  folder: string
  environment: Record<string, string>
  remove: () => Promise<void>
}): Promise<Installation> {
  await mkdir(given.folder, { recursive: true })
  const environment = {
    DATABASE_URL: given.databaseUrl,
    REDIS_URL: given.redisUrl,
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    HOST: '127.0.0.1',
    PUBLIC_URL,
    MEDIA_FOLDER: join(given.folder, 'media'),
    SIMULATOR: 'true',
    ALLOW_HTTP: 'true',
    ALLOWED_PRIVATE_CIDRS: '127.0.0.0/8',
    // If the bench is killed, its processes end too.
    STARTED_BY_PID: String(process.pid),
    // Backlogs are measured, so the cap on what may wait is the one setting that is not the default.
    MAX_QUEUED_MESSAGES: '10000000',
    ...given.environment,
  }
  const ends = new Ends()
  ends.add(given, () => given.remove())
  const sql = ends.add(new pg.Pool({ connectionString: given.databaseUrl, max: 2 }), (pool) => pool.end())
  // A lost idle connection is reported here. The next query fails by itself.
  sql.on('error', () => undefined)
  let count = 0

  const start = async (name: string, more: Record<string, string> = {}): Promise<Running> => {
    count += 1
    const logPath = join(given.folder, `${name}-${count}.log`)
    const running = await startFromProcfile(name, { ...environment, ...more }, logPath)
    return ends.add(running, (each) => each.end())
  }
  return {
    sql,
    prepare: async (work) => {
      const config = readConfig({ ...environment, LOG_LEVEL: 'warn' })
      const context = createContext(config, { process: 'bench', statementTimeoutMs: 120_000 })
      try {
        await whenReady(context.redis)
        return await work(context)
      } finally {
        await context.close()
      }
    },
    start: (name) => start(name),
    startWeb: async () => {
      const port = await freePort()
      const running = await start('web', { PORT: String(port) })
      return { ...running, url: `http://127.0.0.1:${port}` }
    },
    close: () => ends.all(),
  }
}
