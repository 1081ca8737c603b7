import type { Knex } from 'knex'

/**
 * An endpoint is a URL that receives events, with its signing secrets and its health. A table of its own, so
 * that a line's endpoint and an application's are the same thing to everything that delivers.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table endpoints (
      id uuid primary key,
      user_id uuid not null references users (id),
      url text not null,
      secret_sealed bytea not null,
      previous_secret_sealed bytea,
      previous_secret_until timestamptz,
      failing_since timestamptz,
      consecutive_failure_count integer not null default 0,
      disabled_at timestamptz,
      disabled_reason text check (disabled_reason in ('gone', 'failing')),
      created_at timestamptz not null default now()
    );

    create table developer_connections (
      line_id uuid primary key references lines (id) on delete cascade,
      enabled boolean not null default false,
      endpoint_id uuid unique references endpoints (id),
      created_at timestamptz not null default now(),
      updated_at timestamptz not null default now()
    );

    create table incoming_webhooks (
      line_id uuid primary key references developer_connections (line_id) on delete cascade,
      token_hash bytea not null,
      token_sealed bytea not null,
      previous_token_hash bytea,
      previous_token_until timestamptz,
      created_at timestamptz not null default now(),
      regenerated_at timestamptz
    );
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table incoming_webhooks, developer_connections, endpoints')
}
