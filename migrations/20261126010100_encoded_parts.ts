import type { Knex } from 'knex'

/**
 * Parts of a long text are kept as they came, and decoded together: an escape may be in one part and its character in the
 * next. `coding`: of what `text` has, which was decoded to UTF-16 before.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table smpp_parts add column coding text not null default 'utf-16le'`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table smpp_parts drop column coding')
}
