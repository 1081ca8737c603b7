import type { Knex } from 'knex'

/**
 * What programs that listen to a line answered to its events (`linehook listen`). They are no attempts to deliver: nothing
 * waits for them, and they say nothing of an endpoint.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table listener_attempts (
      id uuid primary key,
      event_id uuid not null,
      started_at timestamptz not null,
      duration_ms integer not null,
      response_status integer,
      failure text
    ) partition by range (id);
    create table listener_attempts_default partition of listener_attempts default;
    select ensure_partitions('listener_attempts', current_date, 3);
    create index listener_attempts_event on listener_attempts (event_id, started_at);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table listener_attempts')
}
