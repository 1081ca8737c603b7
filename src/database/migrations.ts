import { readdirSync } from 'node:fs'
import type { Knex } from 'knex'
import { inProject } from '../kit/process/project-files.js'
import { createFunctions } from './functions.js'

const folder = inProject('migrations/')

/**
 * The names have no extension: run by tsx the files end in .ts and by node in .js, and knex calls a directory corrupt
 * if the name that it recorded is missing.
 */
export function migrationSource(): Knex.MigrationSource<string> {
  return {
    getMigrations: () =>
      Promise.resolve(
        readdirSync(folder)
          .filter((file) => /^\d.*\.[jt]s$/.test(file) && !file.endsWith('.d.ts'))
          .sort(),
      ),
    getMigrationName: (file) => file.replace(/\.[jt]s$/, ''),
    getMigration: (file) => import(new URL(file, folder).href) as Promise<Knex.Migration>,
  }
}

/** A migration may rewrite a big table, and the time limit for requests would stop it in the middle. */
export const MIGRATION_STATEMENT_MS = 3_600_000

/**
 * Brings the schema up to date, one process at a time. The lock is Postgres's, which is released if the process is
 * killed. Knex's own is a row: it outlives a killed process, and two processes that start in an empty database at the
 * same moment create it twice, after which every migration is refused.
 *
 * Functions are created as they are in their files. This takes two of the pool's connections.
 */
export async function migrate(db: Knex): Promise<string[]> {
  return db.transaction(async (trx) => {
    // This transaction only holds the lock, for as long as the migrations take.
    await trx.raw('set local idle_in_transaction_session_timeout = 0')
    await trx.raw(`select pg_advisory_xact_lock(hashtextextended('linehook migrate', 0))`)
    await db.migrate.forceFreeMigrationsLock()
    const [, names] = (await db.migrate.latest({ migrationSource: migrationSource() })) as [number, string[]]
    await createFunctions(trx)
    return names
  })
}

/** Lists the migrations of this release, in their order. */
export async function migrationNames(): Promise<string[]> {
  const source = migrationSource()
  return (await source.getMigrations([])).map((file) => source.getMigrationName(file))
}

/**
 * Finds which of this release's migrations the database lacks, and which it has of another release. Changes nothing.
 */
export async function compareMigrations(db: Knex): Promise<{ pending: string[]; foreign: string[] }> {
  const ours = await migrationNames()
  const { rows } = await db.raw<{ rows: { isThere: boolean }[] }>(
    `select to_regclass('knex_migrations') is not null as "isThere"`,
  )
  const done = rows[0]?.isThere === true ? await db('knex_migrations').pluck<string[]>('name') : []
  return {
    pending: ours.filter((name) => !done.includes(name)),
    foreign: done.filter((name) => !ours.includes(name)),
  }
}
