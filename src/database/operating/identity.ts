import type { Database } from '../connection.js'
import { only } from './overview/reading.js'

/**
 * Tells this database from every other one. A standby that takes over has the same identity. A database that was restored
 * from a dump has another one than the database that was dumped, which may still be running.
 */
export async function readDatabaseIdentity(db: Database): Promise<string> {
  const { rows } = await db.raw<{ rows: { identity: string }[] }>(
    `select concat(system_identifier, '/', oid) as identity from pg_control_system(), pg_database
       where datname = current_database()`,
  )
  return only(rows).identity
}
