import type { Knex } from 'knex'

/** People who sign in. Every token is kept as its SHA-256 only: whoever reads the table can use none of them. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table users
      add column role text not null default 'user' check (role in ('user', 'operator')),
      -- argon2id, in its own encoding; null: has not set a password yet, and cannot sign in.
      add column password_hash text;

    create table sessions (
      token_hash bytea primary key,
      -- What the settings page calls it; the token stays in the browser.
      id uuid not null unique,
      user_id uuid not null references users (id) on delete cascade,
      user_agent text not null,
      created_at timestamptz not null default now(),
      last_seen_at timestamptz not null default now(),
      -- When the password was last given: a secret is shown only soon after.
      confirmed_at timestamptz not null default now()
    );
    create index sessions_user on sessions (user_id, id);
    create index sessions_last_seen on sessions (last_seen_at);

    create table api_tokens (
      id uuid primary key,
      user_id uuid not null references users (id) on delete cascade,
      name text not null,
      token_hash bytea not null unique,
      created_at timestamptz not null default now(),
      last_used_at timestamptz
    );
    create index api_tokens_user on api_tokens (user_id, id);

    -- One-time links to set a password: for the first operator, for new users, and for who forgot theirs.
    create table set_up_links (
      token_hash bytea primary key,
      -- null: whoever opens it makes the first operator's account.
      user_id uuid unique references users (id) on delete cascade,
      expires_at timestamptz not null
    );

    -- Attempts to sign in which have not succeeded, by account and by address (both hashed).
    create table sign_in_attempts (
      id uuid primary key,
      account_hash bytea not null,
      address_hash bytea not null,
      attempted_at timestamptz not null default clock_timestamp()
    );
    create index sign_in_attempts_account on sign_in_attempts (account_hash, attempted_at);
    create index sign_in_attempts_address on sign_in_attempts (address_hash, attempted_at);
    create index sign_in_attempts_age on sign_in_attempts (attempted_at);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table sign_in_attempts, set_up_links, api_tokens, sessions;
    alter table users drop column role, drop column password_hash;
  `)
}
