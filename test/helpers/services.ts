import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import knex, { type Knex } from 'knex'
import { migrate } from '../../src/database/migrations.js'
import { connectDatabase } from '../../src/database/connection.js'

const TEMPLATE = 'linehook_template'

function serviceUrl(name: 'TEST_DATABASE_URL' | 'TEST_REDIS_URL'): string {
  const url = process.env[name]
  if (url === undefined)
    throw new Error(`${name} is not set: run the tests with mocha's configuration (npm test)`)
  return url
}

/** What every test database is copied from; made once a run, before the tests. */
export async function createTemplate(): Promise<void> {
  await asAdmin((admin) => admin.raw(`create database ${TEMPLATE}`))
  const db = connectDatabase({ url: databaseUrl(TEMPLATE), poolSize: 2, applicationName: 'template' })
  await migrate(db)
  await db.destroy()
}

/** A migrated database of its own, without data. */
export async function createTestDatabase(): Promise<string> {
  const name = newDatabaseName()
  await asAdmin((admin) => admin.raw(`create database ${name} template ${TEMPLATE}`))
  return databaseUrl(name)
}

/** A database without any table. */
export async function createEmptyDatabase(): Promise<string> {
  const name = newDatabaseName()
  await asAdmin((admin) => admin.raw(`create database ${name}`))
  return databaseUrl(name)
}

/** A Redis database of its own, empty. Redis has 64 of them: the first counts, the others are used in turn. */
export async function createTestRedis(): Promise<string> {
  const server = serviceUrl('TEST_REDIS_URL').replace(/\/\d*$/, '')
  const counter = new Redis(server)
  const number = ((await counter.incr('test-databases')) % 63) + 1
  await counter.select(number)
  await counter.flushdb()
  await counter.quit()
  return `${server}/${number}`
}

/** Not counted in this module: the loader may have more than one copy of it. */
function newDatabaseName(): string {
  return `test_${randomBytes(8).toString('hex')}`
}

function databaseUrl(name: string): string {
  const url = new URL(serviceUrl('TEST_DATABASE_URL'))
  url.pathname = `/${name}`
  return url.href
}

async function asAdmin(work: (admin: Knex) => Promise<unknown>): Promise<void> {
  const admin = knex({ client: 'pg', connection: serviceUrl('TEST_DATABASE_URL'), pool: { min: 0, max: 1 } })
  try {
    await work(admin)
  } finally {
    await admin.destroy()
  }
}
