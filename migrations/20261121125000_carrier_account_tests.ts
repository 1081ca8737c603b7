import type { Knex } from 'knex'

/** How the last test of an account's settings went, for who looks at the list of accounts. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table carrier_accounts
      -- null: not since the settings were written.
      add column last_tested_at timestamptz,
      -- In words; null: it worked.
      add column last_test_fault text;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table carrier_accounts drop column last_tested_at, drop column last_test_fault')
}
