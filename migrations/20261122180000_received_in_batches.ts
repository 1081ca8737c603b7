import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

/**
 * `heard_at`: when the number has written to the line, the last eleven times. More than ten in a minute are looked at.
 *
 * A contact refers to its line as messages and events do, without a foreign key: a line is never deleted, and the check
 * locked the line's row for every number that writes for the first time (a third of what a text costs Postgres).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table line_contacts add column heard_at timestamptz[] not null default '{}';
    alter table line_contacts drop constraint line_contacts_line_id_fkey;
  `)
  await createFunctions(knex, [
    'nth_id',
    'endpoints_of_lines',
    'create_deliveries',
    'take_smpp_arrivals',
    'claim_inbound',
    'ping_pong_limit',
    'ping_pong_pause',
    'ping_pong_after',
    'receive_messages',
  ])
  await knex.raw('drop function if exists take_smpp_inbound')
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function receive_messages, ping_pong_after, ping_pong_pause, ping_pong_limit, claim_inbound, take_smpp_arrivals,
      create_deliveries, endpoints_of_lines, nth_id;
    alter table line_contacts drop column heard_at;
    alter table line_contacts add constraint line_contacts_line_id_fkey
      foreign key (line_id) references lines (id) on delete cascade;
  `)
}
