import type { Knex } from 'knex'

/** Programs of developers that act for other users: who made them, and which lines their users connected. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table applications (
      id uuid primary key,
      user_id uuid not null references users (id),
      client_id text not null unique,
      kind text not null check (kind in ('confidential', 'public')),
      -- SHA-256; null: a public client has no secret.
      client_secret_hash bytea check ((client_secret_hash is null) = (kind = 'public')),
      name text not null,
      description text not null,
      website text,
      redirect_uris text[] not null,
      -- null: has no webhook URL, and gets no events.
      endpoint_id uuid unique references endpoints (id),
      created_at timestamptz not null default now(),
      -- The row stays, for what it did is still listed under its name.
      deleted_at timestamptz
    );
    create index applications_user on applications (user_id, id) where deleted_at is null;

    create table application_lines (
      application_id uuid not null references applications (id) on delete cascade,
      line_id uuid not null references lines (id) on delete cascade,
      -- Who connected it: the line's owner.
      user_id uuid not null references users (id),
      scopes text[] not null,
      connected_at timestamptz not null default now(),
      last_sent_at timestamptz,
      last_received_at timestamptz,
      primary key (application_id, line_id)
    );
    create index application_lines_line on application_lines (line_id);
    create index application_lines_user on application_lines (user_id, application_id);

    -- null: the endpoint is the line's own.
    alter table deliveries add column application_id uuid;
    create index deliveries_application on deliveries (application_id, id) where application_id is not null;
    -- What ends when a line is disconnected.
    create index deliveries_application_waiting on deliveries (application_id, line_id)
      where application_id is not null and status in ('pending', 'held');
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop index deliveries_application_waiting, deliveries_application;
    alter table deliveries drop column application_id;
    drop table application_lines, applications;
  `)
}
