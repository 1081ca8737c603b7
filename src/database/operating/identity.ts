import { hasCode } from '../../errors.js'
import type { Database } from '../connection.js'
import { only } from './overview/reading.js'

/** Postgres's code for a missing right. */
export const NOT_ALLOWED = '42501'

/**
 * Distinguishes this database from every other one. A standby that takes over has the same identity. A database that
 * was restored from a dump has another one than the database that was dumped, which may still be running.
 *
 * @returns undefined if this role may not read it: some rules for secure servers take this right from PUBLIC
 */
export async function readDatabaseIdentity(db: Database): Promise<string | undefined> {
  try {
    const { rows } = await db.raw<{ rows: { identity: string }[] }>(
      `select concat(system_identifier, '/', oid) as identity from pg_control_system(), pg_database
         where datname = current_database()`,
    )
    return only(rows).identity
  } catch (error) {
    if (hasCode(error, NOT_ALLOWED)) return undefined
    throw error
  }
}
