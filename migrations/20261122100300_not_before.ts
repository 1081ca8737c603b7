import type { Knex } from 'knex'

const TABLES = ['messages', 'deliveries']

/**
 * Until when a row waits, by Postgres's clock. A job is only a call to look at it, by the clock of whoever made the job:
 * one that comes early does nothing. `due_at` is when the sweep looks whether a job is coming at all.
 */
export async function up(knex: Knex): Promise<void> {
  for (const table of TABLES) await knex.raw(`alter table ${table} add column not_before timestamptz`)
}

export async function down(knex: Knex): Promise<void> {
  for (const table of TABLES) await knex.raw(`alter table ${table} drop column not_before`)
}
