import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import pg from 'pg'
import { from as copyFrom } from 'pg-copy-streams'
import { hasCode, UserError } from '../../../errors.js'
import { beginLong, columnList, quoted, tablesOf, type BackedUpTable } from './tables.js'
import { END_OF_BACKUP, END_OF_TABLE, type BackupHeader } from './write.js'

/** Postgres's own limit of a value keeps lines below this; a longer one shows that the file is not a backup. */
const MAX_LINE_BYTES = 1_100_000_000

/**
 * Reads a backup to its end. A restore does this before it deletes anything, because a truncated file looks complete
 * until its last line.
 *
 * @throws UserError if the file is not a backup, or not a complete one
 */
export async function checkBackup(file: string): Promise<BackupHeader> {
  let header: BackupHeader | undefined
  let last: Buffer | undefined
  for await (const line of linesOf(file)) {
    header ??= parseHeader(line.toString(), file)
    last = line
  }
  if (header === undefined) throw notABackup(file)
  if (last?.equals(BACKUP_END) !== true) throw incomplete()
  return header
}

function parseHeader(text: string, file: string): BackupHeader {
  if (!text.startsWith('{"format":"linehook backup 1"')) throw notABackup(file)
  return JSON.parse(text) as BackupHeader
}

/**
 * Puts the rows of a backup into a database that has just been migrated by the same release, all of them or none. All
 * sending is paused together with them: a process that is killed right after them leaves no texts behind that a start
 * would send again.
 *
 * @returns the number of rows of each table, and whether sending was paused here and not in the backup
 * @throws UserError if the file is cut off, or has other tables
 */
export async function readBackup(
  databaseUrl: string,
  file: string,
  header: BackupHeader,
): Promise<{ counts: Map<string, number>; isPausedHere: boolean }> {
  const client = new pg.Client({ connectionString: databaseUrl, application_name: 'linehook restore' })
  await client.connect()
  try {
    await beginLong(client)
    const tables = new Map((await tablesOf(client)).map((table) => [table.name, table]))
    await prepare(client, header, tables)
    const counts = await copyAll(client, file, tables)
    for (const [name, value] of Object.entries(header.sequences))
      await client.query('select setval($1::regclass, $2::bigint)', [quoted(name), value])
    const isPausedHere = await pauseAll(client)
    await client.query('commit')
    // If it fails, the rows are there anyway, and autovacuum does this later.
    await analyze(client).catch(() => undefined)
    return { counts, isPausedHere }
  } finally {
    await client.end()
  }
}

/** @returns false if all sending is paused already */
async function pauseAll(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query(
    `update all_sending set paused_at = clock_timestamp(), paused_by = null, resumed_at = null
     where paused_at is null`,
  )
  return rowCount === 1
}

async function analyze(client: pg.Client): Promise<void> {
  await beginLong(client)
  await client.query('analyze')
  await client.query('commit')
}

/** Migrations leave rows behind, and earlier months need partitions. */
async function prepare(
  client: pg.Client,
  { partitions }: BackupHeader,
  tables: ReadonlyMap<string, BackedUpTable>,
): Promise<void> {
  // Tables that refer to others come first. The audit log cannot be emptied, and a new one is empty.
  for (const name of [...tables.keys()].reverse()) {
    const { rowCount } = await client.query(`select from ${quoted(name)} limit 1`)
    if (rowCount !== 0) await client.query(`delete from ${quoted(name)}`)
  }
  for (const partition of partitions) {
    const [, parent, year, month] = /^(.+)_(\d{4})(\d{2})$/.exec(partition) ?? []
    await client.query('select ensure_partitions($1, $2::date, 1)', [
      parent,
      `${year ?? ''}-${month ?? ''}-01`,
    ])
  }
}

async function copyAll(
  client: pg.Client,
  file: string,
  tables: ReadonlyMap<string, BackedUpTable>,
): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  const lines = linesOf(file)
  const next = async (): Promise<Buffer> => {
    const line = await lines.next()
    if (line.done) throw incomplete()
    return line.value
  }
  async function* rowsOfTable(): AsyncGenerator<Buffer> {
    for (let line = await next(); !line.equals(TABLE_END); line = await next()) {
      yield Buffer.concat([line, NEW_LINE])
    }
  }
  // This skips the header.
  await next()
  for (let line = await next(); !line.equals(BACKUP_END); line = await next()) {
    const table = JSON.parse(line.toString()) as BackedUpTable
    if (tables.get(table.name)?.columns.join() !== table.columns.join())
      throw new UserError(`The backup's table ${table.name} differs from this release's`)
    const copied = client.query(copyFrom(`copy ${quoted(table.name)} (${columnList(table)}) from stdin`))
    await pipeline(rowsOfTable, copied)
    counts.set(table.name, copied.rowCount)
  }
  return counts
}

const TABLE_END = Buffer.from(END_OF_TABLE)
const BACKUP_END = Buffer.from(END_OF_BACKUP)
const NEW_LINE = Buffer.from('\n')

async function* linesOf(file: string): AsyncGenerator<Buffer> {
  const unpacked = createGunzip()
  const reading = pipeline(createReadStream(file), unpacked)
  reading.catch(() => undefined)
  let rest: Buffer[] = []
  let restBytes = 0
  try {
    for await (const chunk of unpacked) {
      let bytes = chunk as Buffer
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10)) {
        yield Buffer.concat([...rest, bytes.subarray(0, at)])
        rest = []
        restBytes = 0
        bytes = bytes.subarray(at + 1)
      }
      rest.push(bytes)
      restBytes += bytes.length
      if (restBytes > MAX_LINE_BYTES) throw notABackup(file)
    }
    await reading
  } catch (error) {
    if (hasCode(error, 'Z_DATA_ERROR')) throw notABackup(file)
    if (hasCode(error, 'Z_BUF_ERROR')) throw incomplete()
    throw error
  }
}

function notABackup(file: string): UserError {
  return new UserError(`${file} is not a backup made by \`linehook backup\``)
}

function incomplete(): UserError {
  return new UserError('The backup is incomplete, because its end is missing. Use another one')
}
