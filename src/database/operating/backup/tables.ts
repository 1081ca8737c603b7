import type pg from 'pg'

export interface BackedUpTable {
  name: string
  columns: string[]
}

/** The tables in which migrations are recorded: a restore creates the schema with the same migrations. */
export const MIGRATION_TABLES = ['knex_migrations', 'knex_migrations_lock']

/**
 * Begins a transaction that may take as long as it needs: a role may have time-outs, such as the one that
 * docs/operating/scaling.md names for PgBouncer, and the COPY of a large table takes minutes. All of it is one message,
 * because the time-out of an idle transaction counts from its beginning.
 */
export async function beginLong(client: pg.Client, mode = ''): Promise<void> {
  await client.query(
    `begin ${mode}; set local statement_timeout = 0; set local idle_in_transaction_session_timeout = 0`,
  )
}

/**
 * Lists every table with its columns, tables that others refer to first. Partitions are read through their table, and
 * columns that Postgres computes are left out.
 */
export async function tablesOf(client: pg.Client): Promise<BackedUpTable[]> {
  const { rows } = await client.query<BackedUpTable & { refersTo: string[] }>(
    `select c.relname as name,
       array(select a.attname::text from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         order by a.attnum) as columns,
       array(select distinct r.relname::text from pg_constraint f join pg_class r on r.oid = f.confrelid
         where f.conrelid = c.oid and f.contype = 'f' and f.confrelid <> c.oid) as "refersTo"
     from pg_class c
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
       and c.relname <> all($1)
     order by c.relname`,
    [MIGRATION_TABLES],
  )
  const ordered: BackedUpTable[] = []
  const waiting = new Map(rows.map((row) => [row.name, row]))
  while (waiting.size > 0) {
    const next = [...waiting.values()].filter(({ refersTo }) => !refersTo.some((name) => waiting.has(name)))
    if (next.length === 0) throw new Error(`tables refer to each other: ${[...waiting.keys()].join(', ')}`)
    for (const { name, columns } of next) {
      waiting.delete(name)
      ordered.push({ name, columns })
    }
  }
  return ordered
}

/** Lists the columns of a table for COPY. */
export function columnList({ columns }: BackedUpTable): string {
  return columns.map(quoted).join(', ')
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}
