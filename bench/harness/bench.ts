import { rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { Ends } from '../../chaos/ends.js'
import { startServices } from '../../dev/services/services.js'
import { connectDatabase } from '../../src/database/connection.js'
import { migrate, MIGRATION_STATEMENT_MS } from '../../src/database/migrations.js'
import { createInstallation, type Installation } from './installation.js'
import { takeLock } from './lock.js'
import type { ServerPids } from './processor.js'
import { parentOf } from './usage.js'

/** A Postgres and a Redis for one run. Measures install empty Linehooks in them, as many as they want. */
export interface Bench {
  install(environment?: Record<string, string>): Promise<Installation>
  /** For yardsticks: a Redis database that no Linehook uses, and a Postgres database without Linehook's tables. */
  bare: { databaseUrl: string; redisUrl: string }
  serverPids: ServerPids
  close(): Promise<void>
}

const DATA_FOLDER = resolve('.data/bench')
/** The first database of Redis is for yardsticks. */
const REDIS_DATABASES = 16

export async function openBench(): Promise<Bench> {
  const ends = new Ends()
  try {
    return await build(ends)
  } catch (error) {
    await ends.all()
    throw error
  }
}

async function build(ends: Ends): Promise<Bench> {
  takeLock(DATA_FOLDER)
  // The folder is not emptied before. If a killed run has left services behind, they are found by its files, and stopped.
  const services = await startServices({ dataFolder: DATA_FOLDER, cacheFolder: resolve('.data/packages') })
  ends.add(services, async () => {
    await services.stop()
    await rm(DATA_FOLDER, { recursive: true, force: true })
  })
  const redis = ends.add(new Redis(services.redisUrl), (each) => {
    each.disconnect()
  })
  await redis.flushall()
  const admin = new pg.Client({ connectionString: urlOf(services.databaseUrl, 'postgres') })
  await admin.connect()
  ends.add(admin, (client) => client.end())
  for (const name of ['linehook', 'bare', 'template']) await recreate(admin, name)
  await migrateTemplate(urlOf(services.databaseUrl, 'template'))

  const inUse = new Set<number>([0])
  let count = 0
  return {
    bare: { databaseUrl: urlOf(services.databaseUrl, 'bare'), redisUrl: `${services.redisUrl}/0` },
    serverPids: await pidsOf(admin, redis),
    install: async (environment = {}) => {
      const index = Array.from({ length: REDIS_DATABASES }, (_, n) => n).find((n) => !inUse.has(n))
      if (index === undefined) throw new Error('so many installations at a time are not possible')
      inUse.add(index)
      count += 1
      const name = `bench${count}`
      await recreate(admin, name, 'template')
      const redisUrl = `${services.redisUrl}/${index}`
      const installation = await createInstallation({
        databaseUrl: urlOf(services.databaseUrl, name),
        redisUrl,
        folder: resolve(DATA_FOLDER, name),
        environment,
        remove: async () => {
          await admin.query(`drop database ${name} with (force)`)
          await emptyRedis(redisUrl)
          inUse.delete(index)
        },
      })
      // An interruption ends it by this. One that is closed already has nothing left to end.
      return ends.add(installation, (each) => each.close())
    },
    close: () => ends.all(),
  }
}

async function pidsOf(admin: pg.Client, redis: Redis): Promise<ServerPids> {
  const { rows } = await admin.query<{ pid: number }>('select pg_backend_pid() as pid')
  const server = await redis.info('server')
  return { postgres: parentOf(rows[0]?.pid ?? 0), redis: Number(/^process_id:(\d+)/m.exec(server)?.[1]) }
}

async function recreate(admin: pg.Client, name: string, template = 'template0'): Promise<void> {
  await admin.query(`drop database if exists "${name}" with (force)`)
  await admin.query(`create database "${name}" template "${template}"`)
}

/** Migrates a database that is copied for every installation, because migrations take seconds. */
async function migrateTemplate(url: string): Promise<void> {
  const options = {
    poolSize: 2,
    applicationName: 'bench template',
    statementTimeoutMs: MIGRATION_STATEMENT_MS,
  }
  const db = connectDatabase({ url, ...options })
  await migrate(db)
  await db.destroy()
}

async function emptyRedis(url: string): Promise<void> {
  const redis = new Redis(url)
  await redis.flushdb()
  redis.disconnect()
}

function urlOf(url: string, database: string): string {
  const changed = new URL(url)
  changed.pathname = `/${database}`
  return changed.href
}
