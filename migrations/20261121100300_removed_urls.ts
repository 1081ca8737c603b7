import type { Knex } from 'knex'

/**
 * A line whose outgoing webhook URL was taken away keeps its endpoint: when there is a URL again, the events that
 * were held can still be sent, and receivers know the signing secret.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table endpoints add column removed_at timestamptz')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table endpoints drop column removed_at')
}
