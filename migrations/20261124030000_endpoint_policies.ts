import type { Knex } from 'knex'

/** How an endpoint wants its events: what differs from the defaults of `src/database/endpoints/policy.ts`. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table endpoints add column policy jsonb not null default '{}'`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table endpoints drop column policy')
}
