import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

/**
 * An endpoint is a lane. `places`: how many requests it gets at a time now; `slowed_at`: when they were last halved.
 *
 * `due_at` alone says from when a delivery may be tried: nothing else needs to be looked at later.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table endpoints add column places integer not null default 10 check (places > 0),
      add column slowed_at timestamptz;
    create index deliveries_lane on deliveries (endpoint_id, due_at, id) where status = 'pending';
    create index deliveries_under_way on deliveries (endpoint_id) where status = 'delivering';
    drop index deliveries_due;
    drop index deliveries_leased;
    alter table deliveries drop column not_before;
  `)
  await createFunctions(knex, ['slowdown', 'settle_deliveries', 'idle_lanes'])
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function settle_deliveries, idle_lanes, slowdown;
    drop function if exists deliver_next;
    drop function if exists claim_deliveries;
    alter table deliveries add column not_before timestamptz;
    create index deliveries_due on deliveries (due_at) where status = 'pending';
    create index deliveries_leased on deliveries (lease_until) where status = 'delivering';
    drop index deliveries_lane;
    drop index deliveries_under_way;
    alter table endpoints drop column places, drop column slowed_at;
  `)
}
