import type { Knex } from 'knex'

/** Copies of media, ours: of what a line is asked to send, and of what a carrier hosts for what it received. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table media (
      id uuid primary key,
      user_id uuid not null,
      line_id uuid not null,
      message_id uuid not null,
      purpose text not null check (purpose in ('outbound', 'inbound', 'voicemail')),
      source_url text not null,
      -- The account whose credentials may be shown to the host of source_url; null: nobody's.
      carrier text,
      -- Not hashed: the messages and events that carry the URL have it in them.
      token text not null unique,
      status text not null default 'pending' check (status in ('pending', 'fetching', 'stored', 'failed')),
      failure text,
      content_type text,
      byte_count integer,
      width integer,
      height integer,
      storage_key text,
      -- The number of the last attempt; an attempt's result belongs to this number only.
      attempt_count integer not null default 0,
      -- Attempts since a person last asked for it, which the backoff counts.
      round_attempt_count integer not null default 0,
      crash_count integer not null default 0,
      job_generation integer not null default 0,
      due_at timestamptz not null default clock_timestamp(),
      lease_until timestamptz,
      created_at timestamptz not null default clock_timestamp(),
      stored_at timestamptz,
      -- When its file was deleted.
      removed_at timestamptz
    );
    create index media_message on media (message_id);
    create index media_due on media (due_at) where status = 'pending';
    create index media_leased on media (lease_until) where status = 'fetching';
    create index media_kept on media (stored_at) where status = 'stored' and removed_at is null;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table media')
}
