import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table events (
      id uuid primary key,
      user_id uuid not null,
      line_id uuid not null,
      message_id uuid,
      type text not null,
      payload text not null,
      from_number text not null,
      to_number text not null,
      created_at timestamptz not null default now()
    ) partition by range (id);
    create table events_default partition of events default;
    select ensure_partitions('events', current_date, 3);

    create table deliveries (
      id uuid primary key,
      user_id uuid not null,
      line_id uuid not null,
      event_id uuid not null,
      endpoint_id uuid not null,
      status text not null check (status in ('pending', 'delivering', 'delivered', 'exhausted', 'held')),
      -- The number of the last attempt; the next one takes this + 1 under the row's lock, so no two share it.
      attempt_count integer not null default 0,
      -- Attempts since a person last asked for it, which the retry schedule counts.
      round_attempt_count integer not null default 0,
      crash_count integer not null default 0,
      last_failure text,
      created_at timestamptz not null default now(),
      due_at timestamptz not null default now(),
      job_generation integer not null default 0,
      lease_until timestamptz,
      delivered_at timestamptz
    ) partition by range (id);
    create table deliveries_default partition of deliveries default;
    select ensure_partitions('deliveries', current_date, 3);
    create index deliveries_due on deliveries (due_at) where status = 'pending';
    create index deliveries_leased on deliveries (lease_until) where status = 'delivering';
    create index deliveries_held on deliveries (endpoint_id, id) where status = 'held';

    create table delivery_attempts (
      id uuid primary key,
      delivery_id uuid not null,
      attempt_number integer not null,
      started_at timestamptz not null,
      duration_ms integer not null,
      response_status integer,
      response_excerpt text,
      failure text,
      next_attempt_at timestamptz
    ) partition by range (id);
    create table delivery_attempts_default partition of delivery_attempts default;
    select ensure_partitions('delivery_attempts', current_date, 3);
    create index delivery_attempts_delivery on delivery_attempts (delivery_id, attempt_number);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table delivery_attempts, deliveries, events')
}
