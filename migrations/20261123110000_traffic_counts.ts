import type { Knex } from 'knex'

/**
 * What came and went, for the charts of the overview: a row for each minute and each quarter of an hour (`seconds`), by
 * carrier account. `maintenance` counts minutes from the rows, again and again, and sums quarters from minutes; it keeps
 * eight days of both. Nothing else writes here. `to_carrier` and `to_endpoint` say how long it took: how many for each
 * step of time (`src/database/operating/overview/traffic-counts.ts`).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table traffic_counts (
      seconds integer not null check (seconds in (60, 900)),
      begins_at timestamptz not null,
      carrier text not null,
      accepted integer not null,
      sent integer not null,
      delivered integer not null,
      failed integer not null,
      unknown integer not null,
      received integer not null,
      events_delivered integer not null,
      attempts_failed integer not null,
      to_carrier jsonb not null,
      to_endpoint jsonb not null,
      last_error text,
      last_error_code text,
      last_error_at timestamptz,
      counted_at timestamptz not null default clock_timestamp(),
      primary key (seconds, begins_at, carrier)
    )
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table traffic_counts')
}
