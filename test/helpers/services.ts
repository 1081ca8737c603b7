import { Redis } from 'ioredis'
import knex, { type Knex } from 'knex'
import { migrate } from '../../src/database/migrations.js'
import { connectDatabase } from '../../src/database/connection.js'

const TEMPLATE = 'linehook_template'
let templateReady: Promise<void> | undefined
let count = 0

function serviceUrl(name: 'TEST_DATABASE_URL' | 'TEST_REDIS_URL'): string {
  const url = process.env[name]
  if (url === undefined)
    throw new Error(`${name} is not set: run the tests with mocha's configuration (npm test)`)
  return url
}

/** An empty, migrated database of its own; made from a template, which is migrated once a run. */
export async function createTestDatabase(): Promise<string> {
  templateReady ??= prepareTemplate()
  await templateReady
  count += 1
  const name = `test_${process.pid}_${count}`
  await asAdmin((admin) => admin.raw(`create database ${name} template ${TEMPLATE}`))
  return databaseUrl(name)
}

/** A database without any table. */
export async function createEmptyDatabase(): Promise<string> {
  count += 1
  const name = `test_${process.pid}_${count}`
  await asAdmin((admin) => admin.raw(`create database ${name}`))
  return databaseUrl(name)
}

/** A Redis database of its own, empty. Redis has 64 of them; they are used in turn. */
export async function createTestRedis(): Promise<string> {
  count += 1
  const url = `${serviceUrl('TEST_REDIS_URL').replace(/\/\d*$/, '')}/${count % 64}`
  const redis = new Redis(url)
  await redis.flushdb()
  await redis.quit()
  return url
}

function databaseUrl(name: string): string {
  const url = new URL(serviceUrl('TEST_DATABASE_URL'))
  url.pathname = `/${name}`
  return url.href
}

async function prepareTemplate(): Promise<void> {
  await asAdmin((admin) => admin.raw(`create database ${TEMPLATE}`))
  const db = connectDatabase({ url: databaseUrl(TEMPLATE), poolSize: 1, applicationName: 'template' })
  await migrate(db)
  await db.destroy()
}

async function asAdmin(work: (admin: Knex) => Promise<unknown>): Promise<void> {
  const admin = knex({ client: 'pg', connection: serviceUrl('TEST_DATABASE_URL'), pool: { min: 0, max: 1 } })
  try {
    await work(admin)
  } finally {
    await admin.destroy()
  }
}
