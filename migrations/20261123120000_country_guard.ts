import type { Knex } from 'knex'

/** What each user sends to each country, an hour a row, and the countries to which sending was paused for a sudden rise. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table country_hours (
      user_id uuid not null references users (id) on delete cascade,
      -- ISO 3166, two letters.
      country text not null,
      hour timestamptz not null,
      accepted integer not null,
      primary key (user_id, country, hour)
    );
    create index country_hours_hour on country_hours (hour);

    create table country_guard (
      -- There is one row.
      is_all boolean primary key default true check (is_all),
      counted_until timestamptz not null default clock_timestamp(),
      -- Until it has seen a week, everything looks like a rise.
      began_at timestamptz not null default clock_timestamp()
    );
    insert into country_guard default values;

    create table country_pauses (
      user_id uuid not null references users (id) on delete cascade,
      country text not null,
      paused_at timestamptz not null default clock_timestamp(),
      -- In the hour of the pause, and the most in an hour of the month before.
      accepted integer not null,
      usual integer not null,
      -- null: it is still paused.
      resumed_at timestamptz,
      primary key (user_id, country)
    );

    -- null: none. The row of the line is compared when a message is accepted, so a pause counts at once, in every process.
    alter table lines add column paused_countries text[];
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table lines drop column paused_countries;
    drop table country_pauses;
    drop table country_guard;
    drop table country_hours;
  `)
}
