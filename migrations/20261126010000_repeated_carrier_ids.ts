import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

/**
 * An SMSC whose counter has begun anew gives ids again that it has given before. `carrier_message_ids` stays with the first
 * message of an id, because inbound messages are told from their repeats by it. The later ones are here: few, if any.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table carrier_message_ids_again (
      carrier text not null,
      carrier_message_id text not null,
      message_id uuid not null,
      created_at timestamptz not null default clock_timestamp(),
      primary key (carrier, carrier_message_id, message_id)
    )
  `)
  await createFunctions(knex, ['note_carrier_ids'])
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop function note_carrier_ids;
    drop table carrier_message_ids_again;
  `)
}
