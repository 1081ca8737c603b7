import type { Knex } from 'knex'

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table messages (
      id uuid primary key,
      user_id uuid not null,
      line_id uuid not null,
      direction text not null check (direction in ('outbound', 'inbound')),
      source text not null check (source in ('webhook', 'application', 'console', 'carrier')),
      from_number text not null,
      to_number text not null,
      text text,
      media_url text,
      status text not null check (status in ('queued', 'sending', 'sent', 'delivered', 'failed', 'unknown', 'received')),
      error text,
      carrier_message_id text,
      attempt_count integer not null default 0,
      -- Every claim, also of attempts that do not count (throttled): a result belongs to one claim only.
      claim_count integer not null default 0,
      crash_count integer not null default 0,
      created_at timestamptz not null default clock_timestamp(),
      -- When a queued message should be worked on; later than now while it waits for a slot or a retry.
      due_at timestamptz not null default clock_timestamp(),
      -- Which of its jobs is the current one: a job id is remembered while its key lives, so a new job needs a new id.
      job_generation integer not null default 0,
      lease_until timestamptz,
      sent_at timestamptz
    ) partition by range (id);
    create table messages_default partition of messages default;
    select ensure_partitions('messages', current_date, 3);

    -- The webhook's limits are counted over these rows (reliability §2).
    create index messages_accepted on messages (line_id, created_at) where source = 'webhook';
    -- Who is first in line for a number, and how many wait on a line.
    create index messages_unfinished on messages (line_id, to_number, id) where status in ('queued', 'sending');
    create index messages_due on messages (due_at) where status = 'queued';
    create index messages_leased on messages (lease_until) where status = 'sending';

    -- Unique over all partitions, which an index on messages could not be.
    create table carrier_message_ids (
      carrier text not null,
      carrier_message_id text not null,
      message_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (carrier, carrier_message_id)
    );

    create table idempotency_keys (
      scope_id uuid not null,
      key text not null,
      request_hash bytea not null,
      message_id uuid not null,
      created_at timestamptz not null default now(),
      primary key (scope_id, key)
    );
    create index idempotency_keys_created on idempotency_keys (created_at);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table idempotency_keys, carrier_message_ids, messages')
}
