import type { Knex } from 'knex'

/**
 * How many segments a line, or all lines of a user, may send on a day. The row of a cap counts, too, so that it is exact
 * under its own lock; where no cap is set, nothing is counted.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table spend_caps (
      -- Of a line or of a user.
      owner_id uuid primary key,
      segments_per_day integer not null check (segments_per_day > 0),
      -- The day (UTC) of the last message, and what was accepted on it.
      day date not null default (clock_timestamp() at time zone 'UTC')::date,
      used integer not null default 0,
      -- The day on which 80 % were told.
      warned_day date
    )`)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table spend_caps')
}
