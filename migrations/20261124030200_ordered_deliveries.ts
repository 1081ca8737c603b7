import type { Knex } from 'knex'

/**
 * A delivery to an endpoint that wants its events one after another for each number. The index has only those that are not over,
 * so other deliveries cost nothing.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table deliveries add column is_ordered boolean not null default false;
    create index deliveries_ordered on deliveries (endpoint_id, line_id, from_number, created_at, id)
      where is_ordered and status in ('pending', 'delivering');
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index deliveries_ordered; alter table deliveries drop column is_ordered')
}
