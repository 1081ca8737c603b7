import type { Knex } from 'knex'

/** Examples that `linehook trigger` made for whoever listens to a line, for an hour. They are no events of the line. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table test_events (
      id uuid primary key,
      user_id uuid not null,
      line_id uuid not null references lines (id) on delete cascade,
      type text not null,
      payload text not null,
      from_number text not null,
      to_number text not null,
      created_at timestamptz not null default now()
    );
    create index test_events_line on test_events (line_id, id);
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table test_events')
}
