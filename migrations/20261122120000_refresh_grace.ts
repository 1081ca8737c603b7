import type { Knex } from 'knex'

/** When a refresh token was used a second time, within the grace that a lost answer or a second process has. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('alter table oauth_records add column consumed_again_at timestamptz')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('alter table oauth_records drop column consumed_again_at')
}
