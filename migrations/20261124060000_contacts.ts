import type { Knex } from 'knex'

/** What a user calls a number, and whether what comes from it makes events. It counts for all lines of the user. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table contacts (
      id uuid primary key,
      user_id uuid not null references users (id) on delete cascade,
      -- E.164, or a short code or a word that a carrier gives instead.
      number text not null,
      name text,
      blocked_at timestamptz,
      created_at timestamptz not null default clock_timestamp(),
      -- The number comes first, so that a person can be forgotten by it.
      unique (number, user_id)
    );
    create index contacts_user on contacts (user_id, id);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table contacts')
}
