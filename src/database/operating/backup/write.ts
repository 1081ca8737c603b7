import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import { beginLong, columnList, MIGRATION_TABLES, quoted, tablesOf } from './tables.js'

/** The first line of a backup, as JSON. */
export interface BackupHeader {
  format: 'linehook backup 1'
  writtenAt: string
  migrations: string[]
  /** The last value of each sequence. */
  sequences: Record<string, string>
  /** The names of the partitions, such as `messages_202611`. */
  partitions: string[]
}

/** This line ends the rows of a table, as in a script of pg_dump. */
export const END_OF_TABLE = '\\.'
/** This is the last line: a file without it was cut off. */
export const END_OF_BACKUP = 'end of backup'

/**
 * Writes all rows of a database to a file, as of one moment, while the service runs. The rows are in COPY's format,
 * after a line of JSON for each table, and all of it is compressed with gzip. (The Postgres that comes with `linehook
 * start` has no pg_dump, and that of a distribution may be too old for it.)
 *
 * @returns the number of rows of each table
 */
export async function writeBackup(databaseUrl: string, file: string): Promise<Map<string, number>> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'linehook backup' })
  await client.connect()
  // Another process may be writing a backup of the same name.
  const unfinished = `${file}.${process.pid}.unfinished`
  try {
    await beginLong(client, 'isolation level repeatable read, read only')
    const counts = new Map<string, number>()
    const packed = createGzip()
    // Only this user may read the file.
    const written = pipeline(packed, createWriteStream(unfinished, { mode: 0o600 }))
    // If the disk is full, the pipeline itself reports it.
    written.catch(() => undefined)
    const write = async (bytes: string | Buffer) => {
      if (!packed.write(bytes)) await Promise.race([once(packed, 'drain'), written])
    }
    await write(`${JSON.stringify(await headerOf(client))}\n`)
    for (const table of await tablesOf(client)) {
      await write(`${JSON.stringify(table)}\n`)
      const rows = client.query(
        copyTo(`copy (select ${columnList(table)} from ${quoted(table.name)}) to stdout`),
      )
      for await (const chunk of rows) await write(chunk as Buffer)
      counts.set(table.name, rows.rowCount)
      await write(`${END_OF_TABLE}\n`)
    }
    packed.end(`${END_OF_BACKUP}\n`)
    await written
    await rename(unfinished, file)
    return counts
  } catch (error) {
    // Without access to the folder, that error would hide this one.
    await rm(unfinished, { force: true }).catch(() => undefined)
    throw error
  } finally {
    await client.end()
  }
}

async function headerOf(client: pg.Client): Promise<BackupHeader> {
  const [migrations, sequences, partitions] = [
    await client.query<{ name: string }>('select name from knex_migrations order by name'),
    await client.query<{ name: string; value: string | null }>(
      `select sequencename as name, last_value::text as value from pg_sequences
       where schemaname = 'public' and sequencename not like all($1)`,
      [MIGRATION_TABLES.map((name) => `${name}%`)],
    ),
    await client.query<{ name: string }>(
      String.raw`select relname as name from pg_class where relispartition and relkind = 'r' and relname ~ '_\d{6}$' order by 1`,
    ),
  ]
  return {
    format: 'linehook backup 1',
    writtenAt: new Date().toISOString(),
    migrations: migrations.rows.map(({ name }) => name),
    sequences: Object.fromEntries(
      sequences.rows.flatMap(({ name, value }) => (value === null ? [] : [[name, value]])),
    ),
    partitions: partitions.rows.map(({ name }) => name),
  }
}
