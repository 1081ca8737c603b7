import type { Knex } from 'knex'

/** Where lines live: an account at a carrier, with its credentials. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table carrier_accounts (
      id uuid primary key,
      -- Lines name it, and so do the ids that its messages have there; it never changes.
      name text not null unique check (name ~ '^[a-z0-9][a-z0-9-]{0,39}$'),
      kind text not null,
      -- JSON, sealed to the id; null: the kind has no settings.
      settings_sealed bytea,
      -- Counts changes: a process that made a carrier of older settings makes it again.
      version integer not null default 1,
      -- null: as fast as the line's own windows let it.
      messages_per_second real check (messages_per_second > 0),
      messages_per_second_per_line real check (messages_per_second_per_line > 0),
      -- STOP, START and HELP are answered by the carrier, and not by us too.
      handles_opt_out boolean not null default false,
      created_at timestamptz not null default now()
    );
    insert into carrier_accounts (id, name, kind) values (gen_random_uuid(), 'simulator', 'simulator');
    alter table lines add foreign key (carrier) references carrier_accounts (name);
    -- Which lines an account has.
    create index lines_carrier on lines (carrier);
    -- The carrier's own code beside a failure, such as Twilio's 30003.
    alter table messages add column carrier_code text;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table messages drop column carrier_code;
    alter table lines drop constraint lines_carrier_fkey;
    drop index lines_carrier;
    drop table carrier_accounts;
  `)
}
