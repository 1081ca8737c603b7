import type { Knex } from 'knex'

/** When a user closed the tour of the first steps; null: it is shown until they are done. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table users add column tour_closed_at timestamptz')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table users drop column tour_closed_at')
}
