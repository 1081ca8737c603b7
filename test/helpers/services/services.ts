import { randomBytes } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import knex, { type Knex } from 'knex'
import { migrate } from '../../../src/database/migrations.js'
import { connectDatabase } from '../../../src/database/connection.js'

const TEMPLATE = 'linehook_template'

/** A folder of a test's own; it goes when the run ends, if not before. */
export function createDataFolder(name: string): string {
  return mkdtempSync(join(given('TEST_DATA_FOLDER'), `${name}-`))
}

/** What `mochaGlobalSetup` says to the processes that run test files. */
function given(name: 'TEST_DATABASE_URL' | 'TEST_REDIS_URL' | 'TEST_DATA_FOLDER'): string {
  const value = process.env[name]
  if (value === undefined)
    throw new Error(`${name} is not set: run the tests with mocha's configuration (npm test)`)
  return value
}

/**
 * Nothing of a run is read after it, so its Postgres waits for no disk. Autovacuum would go through hundreds of test
 * databases all the time. What a crash leaves is tested with services of a test's own.
 */
const SETTINGS = ['fsync = off', 'synchronous_commit = off', 'full_page_writes = off', 'autovacuum = off']

/** What every test database is copied from; made once a run, before the tests. */
export async function createTemplate(): Promise<void> {
  for (const setting of SETTINGS) await asAdmin((admin) => admin.raw(`alter system set ${setting}`))
  await asAdmin((admin) => admin.raw('select pg_reload_conf()'))
  await asAdmin((admin) => admin.raw(`create database ${TEMPLATE}`))
  const db = connectDatabase({ url: databaseUrl(TEMPLATE), poolSize: 2, applicationName: 'template' })
  await migrate(db)
  await db.destroy()
}

/** A migrated database of its own, without data. */
export async function createTestDatabase(): Promise<string> {
  const name = newDatabaseName()
  // The files as they are: half of the time of writing each page through the log.
  await asAdmin((admin) => admin.raw(`create database ${name} template ${TEMPLATE} strategy file_copy`))
  return databaseUrl(name)
}

/** A database without any table. */
export async function createEmptyDatabase(): Promise<string> {
  const name = newDatabaseName()
  await asAdmin((admin) => admin.raw(`create database ${name}`))
  return databaseUrl(name)
}

/**
 * A Redis database of its own, empty. Redis has 128 of them: the first counts, the others are used in turn, by each
 * process of `mocha --parallel` a third of them. A file that goes on for long would lose its own to quick ones elsewhere.
 */
export async function createTestRedis(): Promise<string> {
  const server = given('TEST_REDIS_URL').replace(/\/\d*$/, '')
  const counter = new Redis(server)
  const third = Number(process.env.MOCHA_WORKER_ID ?? 0) % 3
  const number = ((await counter.incr(`test-databases-${third}`)) % 42) + 1 + 42 * third
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
  const url = new URL(given('TEST_DATABASE_URL'))
  url.pathname = `/${name}`
  return url.href
}

async function asAdmin(work: (admin: Knex) => Promise<unknown>): Promise<void> {
  const admin = knex({ client: 'pg', connection: given('TEST_DATABASE_URL'), pool: { min: 0, max: 1 } })
  try {
    await work(admin)
  } finally {
    await admin.destroy()
  }
}
