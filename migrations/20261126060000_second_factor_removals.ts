import type { Knex } from 'knex'

/**
 * An operator has asked to take away the second factor of a user who has lost it, and another one has to confirm. A table of
 * its own rather than the audit log's rows: only one of two confirmations at the same moment may take it.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table second_factor_removals (
      -- One for a user: who asks again withdraws first.
      user_id uuid primary key references users (id) on delete cascade,
      id uuid not null unique,
      asked_by uuid not null references users (id) on delete cascade,
      reason text not null,
      asked_at timestamptz not null default now()
    );
    create index second_factor_removals_asked_by on second_factor_removals (asked_by);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table second_factor_removals')
}
