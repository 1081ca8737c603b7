import type { Knex } from 'knex'

/**
 * Who holds an account's sessions at its carrier, and how they are. One process of all: an SMSC may allow one session
 * only. The lease is by the clock of Postgres, and another process takes over what is not renewed.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table carrier_sessions (
      account_id uuid primary key references carrier_accounts (id) on delete cascade,
      -- The process, by an id that it gives itself.
      holder_id uuid not null,
      lease_until timestamptz not null,
      -- Which settings of the account they were opened with; null: none yet.
      version integer,
      bound_count integer not null default 0,
      -- How many there should be.
      session_count integer not null default 0,
      -- Since when so many are bound.
      changed_at timestamptz not null default clock_timestamp(),
      -- Why one is not bound, or was not the last time, in words.
      last_error text,
      last_error_at timestamptz
    );

    alter table carrier_accounts
      -- Beneath the sealed ones: what a migration, which has no key, gives to the accounts that it finds.
      add column settings_unsealed jsonb not null default '{}',
      -- Which settings the last test was of.
      add column last_tested_version integer;
    update carrier_accounts set last_tested_version = version where last_tested_at is not null;
    -- New ones bind as transceivers.
    update carrier_accounts set settings_unsealed = '{"bindAs": "transmitter-and-receiver"}' where kind = 'smpp';
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table carrier_accounts drop column last_tested_version, drop column settings_unsealed;
    drop table carrier_sessions;
  `)
}
