import type { Knex } from 'knex'

/** How far carriers were asked what an account's lines have received (domain/messages/catch-up.ts). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table carrier_accounts
      -- All that the carrier got before is in. null: it was never asked.
      add column received_until timestamptz,
      -- So that of any number of processes one asks.
      add column received_asked_at timestamptz;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table carrier_accounts drop column received_until, drop column received_asked_at')
}
