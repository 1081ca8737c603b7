import type { Knex } from 'knex'

/** Events that the specification does not have go only to those who asked for them: receivers refuse unknown types. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table endpoints add column opt_in_events text[] not null default '{}'`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table endpoints drop column opt_in_events')
}
