import type { Knex } from 'knex'

/** An endpoint says whose it is; a developer connection names the one that is its line's outgoing webhook. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`alter table endpoints add column application_id uuid references applications (id)`)
  await knex.raw(
    `update endpoints e set line_id = c.line_id from developer_connections c where c.endpoint_id = e.id`,
  )
  await knex.raw(
    `update endpoints e set application_id = a.id from applications a where a.endpoint_id = e.id`,
  )
  await knex.raw(
    `alter table endpoints add constraint endpoints_owner_check check (num_nonnulls(line_id, application_id) = 1)`,
  )
  // The tables would refer to each other in a circle, and a backup needs an order. Rows of endpoints are never deleted.
  await knex.raw(`alter table applications drop constraint applications_endpoint_id_fkey`)
  await knex.raw(
    `create index endpoints_of_application on endpoints (application_id) where application_id is not null and removed_at is null`,
  )
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(
    `alter table applications add constraint applications_endpoint_id_fkey foreign key (endpoint_id) references endpoints (id)`,
  )
  await knex.raw(`alter table endpoints drop constraint endpoints_owner_check`)
  await knex.raw(`alter table endpoints drop column application_id`)
  await knex.raw(
    `update endpoints e set line_id = null from developer_connections c where c.endpoint_id = e.id`,
  )
}
