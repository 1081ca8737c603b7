import type { Knex } from 'knex'

/** How far something that runs bit by bit has come, such as clearing what endpoints answered. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table retention_progress (
      task text primary key,
      -- Everything before this row is done.
      until_id uuid not null
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table retention_progress')
}
