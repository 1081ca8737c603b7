import type { Knex } from 'knex'

const TABLES = ['deliveries', 'media']

/**
 * How often in a row the worker of an attempt was lost. That says nothing about the row, which may only have been
 * beside the one that took the process with it: what is lost again and again is tried in a process of its own, and only
 * how that ends counts as the row's (`crash_count`).
 */
export async function up(knex: Knex): Promise<void> {
  for (const table of TABLES)
    await knex.raw(`alter table ${table} add column lost_count integer not null default 0`)
}

export async function down(knex: Knex): Promise<void> {
  for (const table of TABLES) await knex.raw(`alter table ${table} drop column lost_count`)
}
