import { readFileSync } from 'node:fs'
import type { Knex } from 'knex'
import { createFunctions, listFunctions } from '../src/database/functions.js'
import { ensurePartitions } from '../src/database/partitions.js'

/** Each file refers only to tables of the files before it. */
const FILES = [
  'people',
  'carriers',
  'lines',
  'applications',
  'endpoints',
  'messages',
  'operating',
  'simulator',
] as const

/** The functions that tables and their triggers are made with; all others come with every migrate. */
const FUNCTIONS = [
  'lowest_id_at',
  'copy_statement_triggers',
  'ensure_partitions',
  'refuse_audit_change',
  'keep_live',
]

/**
 * Big tables are partitioned by month over their UUIDv7 key: a month is a range of ids, and retention is a DROP.
 * `maintenance` calls ensure_partitions ahead of time; a row for a month that nobody made goes to the default
 * partition rather than being refused. Such a month stays there: a partition can no longer be made for it.
 */
export async function up(knex: Knex): Promise<void> {
  await createFunctions(knex, FUNCTIONS)
  for (const file of FILES) await knex.raw(sqlOf(file).replaceAll('?', '\\?'))
  await ensurePartitions(knex)
}

export async function down(knex: Knex): Promise<void> {
  const tables = FILES.flatMap((file) =>
    [...sqlOf(file).matchAll(/^create table (\w+)/gm)].map(([, name]) => name),
  )
  await knex.raw(`drop table ${tables.join(', ')} cascade`)
  await knex.raw('drop sequence message_positions')
  await knex.raw(`drop function if exists ${listFunctions().join(', ')} cascade`)
}

function sqlOf(file: string): string {
  return readFileSync(new URL(`tables/${file}.sql`, import.meta.url), 'utf8')
}
