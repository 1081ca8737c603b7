import type { Database } from '../../connection.js'
import { only } from './reading.js'

/** The state of Postgres itself. */
export interface PostgresFacts {
  version: string
  isReadOnly: boolean
  connectionCount: number
  maxConnections: number
  /** Transactions of this service that have been open for a minute or more. */
  longTransactionCount: number
  databaseBytes: number
  /** The folder of its files; null if we may not know it. */
  dataFolder: string | null
}

export async function readPostgresFacts(db: Database): Promise<PostgresFacts> {
  const { rows } = await db.raw<{ rows: PostgresFacts[] }>(
    `select split_part(current_setting('server_version'), ' ', 1) as version,
       pg_is_in_recovery() or current_setting('default_transaction_read_only') = 'on' as "isReadOnly",
       (select count(*)::integer from pg_stat_activity where backend_type = 'client backend') as "connectionCount",
       current_setting('max_connections')::integer as "maxConnections",
       (select count(*)::integer from pg_stat_activity where usename = current_user and datname = current_database()
          and pid <> pg_backend_pid() and xact_start < clock_timestamp() - interval '1 minute') as "longTransactionCount",
       pg_database_size(current_database())::double precision as "databaseBytes",
       (select setting from pg_settings where name = 'data_directory') as "dataFolder"`,
  )
  return only(rows)
}
