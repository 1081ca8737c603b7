import type { Knex } from 'knex'

/**
 * A second factor beside the password: an authenticator app (TOTP) or passkeys, and recovery codes. Who has one is half signed
 * in after the password. Such a half-open session has a table of its own, so that a release that does not know it can never
 * take it for a session.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table totp_secrets (
      user_id uuid primary key references users (id) on delete cascade,
      secret_sealed bytea not null,
      created_at timestamptz not null default now(),
      -- null: nobody has shown yet that an app has it, so it counts for nothing.
      confirmed_at timestamptz,
      -- The step of the code that was used last: a code works once.
      last_step bigint not null default 0,
      last_used_at timestamptz
    );

    create table passkeys (
      id uuid primary key,
      user_id uuid not null references users (id) on delete cascade,
      name text not null,
      -- As the browser calls it.
      credential_id text not null unique,
      public_key bytea not null,
      counter bigint not null,
      transports text[] not null,
      created_at timestamptz not null default now(),
      last_used_at timestamptz
    );
    create index passkeys_user on passkeys (user_id, id);

    -- Each is deleted when it is used.
    create table recovery_codes (
      user_id uuid not null references users (id) on delete cascade,
      code_hash bytea not null,
      primary key (user_id, code_hash)
    );

    create table half_open_sessions (
      token_hash bytea primary key,
      id uuid not null unique,
      user_id uuid not null references users (id) on delete cascade,
      user_agent text not null,
      created_at timestamptz not null default now()
    );
    create index half_open_sessions_user on half_open_sessions (user_id);
    create index half_open_sessions_created on half_open_sessions (created_at);

    -- What a passkey is to sign next in one browser, by the hash of its cookie.
    create table passkey_challenges (
      browser_hash bytea primary key,
      challenge text not null,
      created_at timestamptz not null default now()
    );
    create index passkey_challenges_created on passkey_challenges (created_at);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`drop table passkey_challenges, half_open_sessions, recovery_codes, passkeys, totp_secrets;`)
}
