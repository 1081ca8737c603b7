import type { Knex } from 'knex'

/**
 * What OAuth keeps: grants, codes, tokens and authorizations under way. Found by the SHA-256 of their value, which
 * is nowhere in the row: whoever reads the table can use none of them.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table oauth_records (
      kind text not null check (kind in ('Grant', 'AuthorizationCode', 'AccessToken', 'RefreshToken', 'Interaction')),
      id_hash bytea not null,
      -- What a code or token came out of; without it, it is worth nothing.
      grant_hash bytea,
      application_id uuid references applications (id) on delete cascade,
      user_id uuid references users (id) on delete cascade,
      payload jsonb not null,
      created_at timestamptz not null default now(),
      -- A code or refresh token is used once; the row stays, so that a second use is known as one.
      consumed_at timestamptz,
      expires_at timestamptz not null,
      primary key (kind, id_hash)
    );
    create index oauth_records_grant on oauth_records (grant_hash);
    create index oauth_records_application on oauth_records (application_id, user_id);
    create index oauth_records_user on oauth_records (user_id);
    create index oauth_records_expiry on oauth_records (expires_at);

    alter table messages add column application_id uuid;

  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table messages drop column application_id;
    drop table oauth_records;
  `)
}
