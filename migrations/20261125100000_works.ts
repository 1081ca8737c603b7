import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

/**
 * Long works, each a row: what was asked, how far it is, and how it ended. `position` is the id up to which it is done, so
 * that whoever goes on with it begins behind. `claim_count`: only the last who claimed it may write.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table works (
      id uuid primary key,
      kind text not null check (kind in ('replay', 'held_events', 'import')),
      -- Who sees it and may stop it; null: operators at the command line.
      user_id uuid references users (id) on delete cascade,
      line_id uuid,
      application_id uuid,
      asked jsonb not null,
      status text not null default 'waiting' check (status in ('waiting', 'running', 'done', 'stopped', 'failed')),
      -- null: there are so many that they are still to be counted.
      total_count integer,
      done_count integer not null default 0,
      failed_count integer not null default 0,
      last_failure text,
      -- Of those up to the position: how many of the last ones failed, one after the other.
      failed_in_a_row integer not null default 0,
      position uuid not null default '00000000-0000-0000-0000-000000000000',
      error text,
      stop_asked_at timestamptz,
      job_generation integer not null default 0,
      claim_count integer not null default 0,
      crash_count integer not null default 0,
      lease_until timestamptz,
      due_at timestamptz not null default clock_timestamp(),
      created_at timestamptz not null default clock_timestamp(),
      started_at timestamptz,
      ended_at timestamptz
    );
    create index works_user on works (user_id, id);
    create index works_open on works (due_at) where status in ('waiting', 'running');

    -- What a replay to another URL has sent. A replay to the endpoint itself changes its deliveries.
    create table replayed_events (
      work_id uuid not null references works (id) on delete cascade,
      event_id uuid not null,
      sent_at timestamptz not null,
      attempt_count integer not null,
      response_status integer,
      -- null: the URL took it.
      failure text,
      primary key (work_id, event_id)
    );
    create index replayed_events_event on replayed_events (event_id);

    -- The replay that brought it last.
    alter table deliveries add column work_id uuid;
  `)
  await createFunctions(knex, ['claim_in_lanes', 'step_lanes'])
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function step_lanes, claim_in_lanes;
    alter table deliveries drop column work_id;
    drop table replayed_events, works;
  `)
}
