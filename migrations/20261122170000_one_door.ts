import type { Knex } from 'knex'
import { createFunctions } from '../src/database/functions.js'

/** `queue_messages` has taken the place of what there was for webhooks and for applications. */
export async function up(knex: Knex): Promise<void> {
  await createFunctions(knex, ['limit_window', 'opens_ms', 'fit_messages', 'queue_messages'])
  await knex.raw(`
    drop function if exists accept_messages;
    drop function if exists accept_api_message;
  `)
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop function queue_messages, fit_messages, opens_ms, limit_window')
}
