import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

/**
 * A line, a carrier account and all sending can be paused, and so can an endpoint. `paused_by`: the user; null: the command
 * line. `resumed_at`: what waited for the end of a pause has still to be brought (`wake_messages`).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table lines add column paused_at timestamptz,
      add column paused_by uuid references users (id) on delete set null, add column resumed_at timestamptz;
    create index lines_paused on lines (id) where paused_at is not null;
    create index lines_resumed on lines (id) where resumed_at is not null;

    alter table carrier_accounts add column paused_at timestamptz,
      add column paused_by uuid references users (id) on delete set null, add column resumed_at timestamptz;

    create table all_sending (
      -- There is one row.
      is_all boolean primary key default true check (is_all),
      paused_at timestamptz,
      paused_by uuid references users (id) on delete set null,
      resumed_at timestamptz
    );
    insert into all_sending default values;

    -- What waits for an endpoint needs no moment of resumption: its lane looks idle as soon as it may be worked on.
    alter table endpoints add column paused_at timestamptz,
      add column paused_by uuid references users (id) on delete set null;
  `)
  await createFunctions(knex, ['wake_messages'])
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function wake_messages;
    alter table endpoints drop column paused_at, drop column paused_by;
    drop table all_sending;
    alter table carrier_accounts drop column paused_at, drop column paused_by, drop column resumed_at;
    alter table lines drop column paused_at, drop column paused_by, drop column resumed_at;
  `)
}
