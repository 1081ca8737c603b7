import type { Knex } from 'knex'

/** Headers that an endpoint's developer wants in each request: sealed, because most are credentials. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table endpoints add column headers_sealed bytea')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table endpoints drop column headers_sealed')
}
