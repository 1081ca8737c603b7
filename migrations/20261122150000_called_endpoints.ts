import type { Knex } from 'knex'

/** When an endpoint was first sent an event, since it has its URL or was enabled again; null: never. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table endpoints add column called_at timestamptz')
  await knex.raw(
    `update endpoints e set called_at = now()
     where exists (select from deliveries d where d.endpoint_id = e.id and d.attempt_count > 0)`,
  )
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table endpoints drop column called_at')
}
